"""How the embedded models are made: data, training, export, evaluation, model cards."""
