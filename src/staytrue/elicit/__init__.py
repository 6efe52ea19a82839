"""Making examples by talking to chatbots: AIH inquiries and ConsisTest probes."""
