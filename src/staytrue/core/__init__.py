"""Records, protocols, errors and signatures: what every other room builds on."""
