"""A toy metric, backend, chatbot and data set for staytrue, one file each."""
