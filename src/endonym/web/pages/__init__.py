"""The pages, one module for each place that people go to. Each function takes a visit and gives a response."""
