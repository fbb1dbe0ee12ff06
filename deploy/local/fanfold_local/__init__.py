"""Runs Kafka, MariaDB and Fanfold's services as background processes of one machine."""
