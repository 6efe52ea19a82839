"""BEGIN's questionnaire: the questions, the label rule, sheets for annotators and their answers."""
