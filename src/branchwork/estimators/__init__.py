"""The scikit-learn face: thin estimators over recipes."""
