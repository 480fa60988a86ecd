"""The record of every act: who, what, when, why."""
