"""AIH: chatbots talk, and one of them is asked about what it said."""
