package dev.muster.simulation;

final class NotifierTable {
    NotifierTable(World world) {}
}
