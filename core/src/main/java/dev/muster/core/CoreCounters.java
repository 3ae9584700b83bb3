package dev.muster.core;

/**
 * Counts since a core was made.
 *
 * @param decided events emitted by decide
 * @param stale reports of an old shard epoch, attempt, incarnation or process start
 * @param repeated inputs that said what was known
 * @param illegal inputs that would have led to a transition which the table of states forbids
 * @param attempts gangs that cycles tried to place, whether they fitted or not
 */
public record CoreCounters(long decided, long stale, long repeated, long illegal, long attempts) {}
