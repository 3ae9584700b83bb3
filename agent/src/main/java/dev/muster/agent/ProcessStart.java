package dev.muster.agent;

import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * One start of the command within an incarnation, as the supervisor recorded it.
 *
 * @param number from 1; a number is used once, whatever became of it
 * @param starts how often the command was started under this number: 0 or 1, anything else is a
 *     fault
 * @param pid as the supervisor sees it, which in a namespace is not the machine's
 * @param exitCode 0 to 255; 128 + n when signal n ended it. A start that was claimed, but whose
 *     instance died before it ended, has none for ever: its number is spent
 * @param running whether it was started, has not ended, and its instance lives
 */
public record ProcessStart(
        int number, int starts, OptionalLong pid, OptionalInt exitCode, boolean running) {}
