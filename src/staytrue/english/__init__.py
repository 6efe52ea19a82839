"""English: parsing, sentences, words, numbers, questions and statements."""
