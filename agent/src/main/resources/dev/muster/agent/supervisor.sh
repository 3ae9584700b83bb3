#!/bin/sh
# Supervises the process starts of one instance.
#
#   supervisor.sh CONTROL    as PID 1 of a namespace of its own, or beside all other processes
#
# Files in CONTROL are the truth, a FIFO is only the doorbell:
#   desired     written by the agent, by rename: "start N | stop N | stop N dump | kill N | quit"
#   launch-N    written by the agent before "start N": sets work, log and the arguments, and says
#               what the environment of the command is
#   processes   written by the agent before "stop N dump", without a namespace: pids of the command
#   state       appended to here: claimed N; started N pid starttime bootid, written by the child
#               itself before exec; exited N code (128 + n by signal n); cleared N; left
#   dump-N      what every thread was doing; complete when its last line is "end N"
#   supervisor  who supervises, made once with O_EXCL: there is never a second one
#   bell        rung by the agent; go: rung by the listener
#
# Two processes while a command runs, so that nothing polls: this one runs it in its foreground (in
# the background a shell would leave it deaf to SIGINT), the listener hears the bell meanwhile. As
# PID 1 of a namespace, "kill -1" reaches everything but this process. Elsewhere signals are the
# agent's business.
#
# POSIX sh; dash, busybox ash and bash run it. No program is needed, but mkfifo where the agent made
# no FIFOs, and tr and sleep for a dump.

control=$1 boot=

# Who this very process is, without a fork. Without /proc nobody knows: "-".
identify() {
    read -r pid _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ ticks _ 2>/dev/null <"${1:-/proc/self/stat}" ||
        pid=- ticks=-
    [ "$boot" ] || read -r boot 2>/dev/null </proc/sys/kernel/random/boot_id || boot=-
}

# Appends a line to state. On a full disk it waits for space; a piece that was written before is
# ended, so that it spoils no other line.
put() {
    until printf "$newline%s\n" "$*" >&4; do
        newline='\n'
        sleep 1
    done 2>/dev/null
    newline=
}

look() {
    verb= n= how=
    read -r verb n how _ 2>/dev/null <desired
    n=${n:-0}
}

# Runs the command of process start n.
run() {
    [ -z "$alone" ] || listen
    current=$n
    put "claimed $n"
    (
        exec 3>&- 5>&- 6<&- </dev/null
        work=/ log=/dev/null
        environment() { :; }
        . "./launch-$n"
        exec >>"$log" 2>&1
        cd "$work" || exit 125
        identify
        printf 'started %s %s %s %s\n' "$n" "$pid" "$ticks" "$boot" >&4 || exit 125
        environment
        exec "$@" 4>&-
    )
    code=$?
    [ $code -ne 125 ] || newline='\n'
    put "exited $n $code"
    clear_away
}

# Ends what the command left behind. In a namespace the listener goes with it: it is needed only
# while a command runs.
clear_away() {
    if [ "$alone" ]; then
        kill_others
        put "cleared $current"
    else
        jobs >/dev/null
        kill -0 "$listener" 2>/dev/null || listen
    fi
}

# As PID 1: until nobody else is left. A killed process takes a moment to die.
kill_others() {
    kill -KILL -1 2>/dev/null
    [ -z "$listener" ] || wait "$listener" 2>/dev/null
    tries=0
    while kill -KILL -1 2>/dev/null; do
        tries=$((tries + 1))
        if [ $tries -lt 100 ]; then
            jobs >/dev/null # reaps, orphans too
        elif [ $tries -lt 1000 ]; then
            (:) # the same, and takes its time
        else
            sleep 1
        fi
    done
}

# A number that was stopped before it was started is used up.
spend() {
    current=$n
    put "claimed $n"
    code=$1
    put "exited $n $code"
    put "cleared $n"
}

listen() {
    listener <&- &
    listener=$!
    [ "$alone" ] || printf '%s\n' "$listener" >listener
}

listener() {
    told=0 dumped=0 first= running=
    while read -r _ <&3; do
        look
        catch_up
        if [ -z "$running" ]; then
            # nothing but a higher number, or the end, is news to the other process
            [ "$verb" = quit ] || [ "$n" -gt "$current" ] && printf '\n' >&5
        elif [ "$verb$how" = stopdump ]; then
            [ "$n" -ne "$current" ] || [ "$dumped" -eq "$n" ] || dump
        elif [ "$alone" ]; then
            case $verb in
                stop) [ "$n" -ne "$current" ] || [ "$told" -eq "$n" ] || { told=$n; kill -TERM -1; } ;;
                kill) [ "$n" -ne "$current" ] || kill -KILL -1 ;;
                quit) kill -KILL -1 ;;
            esac
        fi
    done
}

# Reads what state has gained. All listeners share one place in it, so none reads it from the
# beginning; and all know what was current when they were made, so old lines do not matter.
catch_up() {
    while read -r word number third _ <&6; do
        number=${number:-0}
        case $word in
            claimed) [ "$number" -le "$current" ] || { current=$number running=1 first=; } ;;
            started) [ "$number" -ne "$current" ] || first=$third ;;
            exited) [ "$number" -ne "$current" ] || running= ;;
        esac
    done
}

# Ends a command that hangs, and keeps what can be known of it: writes down its threads, makes the
# interpreters say their stacks, and kills what is left within 3 seconds. The first process comes
# last: with its end the others are killed.
dump() {
    dumped=$n
    members
    threads=0 said=0
    for pid in $members; do
        say_process "$pid"
    done >"dump-$n" 2>/dev/null
    printf 'end %s\n' "$n" >>"dump-$n"
    asked= pause=
    recognize "$first"
    [ "$interpreter" ] || ask "$first"
    for pid in $members; do
        [ "$pid" = "$first" ] || ask "$pid"
    done
    await_end 20
    asked=
    ask "$first"
    await_end 10
    for pid in $members; do
        kill -KILL "$pid"
    done 2>/dev/null
}

# The processes of the command.
members() {
    members=
    if [ "$alone" ]; then
        identify # this one
        for process in /proc/[0-9]*; do
            process=${process#/proc/}
            [ "$process" = 1 ] || [ "$process" = "$pid" ] || members="$members $process"
        done
    else
        read -r members 2>/dev/null <processes
    fi
}

# What /proc has of a process and its threads. The kernel's stack is readable for root alone.
say_process() {
    printf '\nprocess %s: ' "$1"
    said=$((said + 1))
    # a shell cannot read what parts the arguments; for the first processes a program's time is spent
    [ $said -le 32 ] && tr '\000' ' ' <"/proc/$1/cmdline" ||
        while read -r line || [ "$line" ]; do
            printf '%s ' "$line"
        done <"/proc/$1/cmdline"
    printf '\n'
    for thread in "/proc/$1/task"/[0-9]*; do
        threads=$((threads + 1))
        [ $threads -le 2000 ] || return 0
        line=
        while read -r key value; do
            case $key in Name: | State:) line="$line $value" ;; esac
        done <"$thread/status"
        read -r place <"$thread/wchan" || [ "$place" ] || place=-
        printf '  thread %s:%s, in %s\n' "${thread##*/}" "$line" "$place"
        while read -r line; do
            printf '      %s\n' "$line"
        done <"$thread/stack"
        place=
    done
}

recognize() {
    name= line= interpreter=
    read -r name <"/proc/$1/comm"
    read -r line <"/proc/$1/cmdline" || :
    case $name in
        sh | ash | bash | dash | busybox) ;;
        java) interpreter=java ;;
        *) case $name$line in *[Pp]ython*) interpreter=python ;; esac ;;
    esac
} 2>/dev/null

# Python says the stacks of all threads on SIGABRT (faulthandler) and ends, Java on SIGQUIT. Others
# stand still: a shell would go on with what comes after the command that hung.
ask() {
    recognize "$1"
    case $interpreter in
        python) kill -ABRT "$1" && asked="$asked $1" ;;
        java) kill -QUIT "$1" && pause=1 ;;
        *) kill -STOP "$1" ;;
    esac
} 2>/dev/null

# Until those that were asked have ended, at most so many tenths of a second; Java gets half of one.
await_end() {
    tenths=$1
    while [ "$tenths" -gt 0 ]; do
        some=
        for pid in $asked; do
            read -r _ _ key _ 2>/dev/null <"/proc/$pid/stat" && [ "$key" != Z ] && some=1
        done
        [ "$some" ] || [ "$pause" ] || return 0
        sleep 0.1 2>/dev/null || { sleep 1; tenths=$((tenths - 9)); }
        tenths=$((tenths - 1))
        [ "$some" ] || [ "$tenths" -gt $(($1 - 5)) ] || pause=
    done
    pause=
}

# The directory this starts in may be /proc as it was outside: there its pid is the machine's.
identify self/stat
[ "$pid" != - ] || identify
cd "$control" || exit 1
alone= kind=tree newline= listener= current=0 code=0
[ $$ -ne 1 ] || alone=1 kind=namespace
[ "$pid" != 1 ] || kind=alone
[ -p bell ] && [ -p go ] || (umask 077 && mkfifo bell go) || exit 1
trap : TERM INT HUP
exec 3<>bell 4>>state 5<>go 6<state
# Who made the namespace without a program mounts its /proc from outside, and rings then. If somebody
# rings before, the one who should have has ended: another supervisor does the work.
while [ $kind = namespace ] && [ -d "/proc/$pid" ]; do
    read -r _ <&3
    [ ! -d "/proc/$pid" ] || { printf '\n' >&3; exit 0; }
done
set -C
printf '%s %s %s %s\n' "$pid" "$ticks" "$boot" "$kind" 2>/dev/null >supervisor || exit 0
set +C
[ "$alone" ] || listen
while :; do
    look
    if [ "$verb" = quit ]; then
        break
    elif [ "$n" -gt "$current" ]; then
        case $verb in
            start) run ;;
            stop) spend 143 ;;
            kill) spend 137 ;;
        esac
    elif [ "$alone" ]; then
        read -r _ <&3
    else
        read -r _ <&5
    fi
done
if [ "$alone" ]; then
    kill_others
else
    kill -KILL "$listener" 2>/dev/null
fi
put left
exit "$code"
