"""The local web app: browse runs, judge by hand, chat blind, try a response (extra `web`)."""
