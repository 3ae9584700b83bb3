package dev.muster.domain;

/** What travels on a lane to a pool's scheduler. */
public sealed interface Message permits Command, Report {}
