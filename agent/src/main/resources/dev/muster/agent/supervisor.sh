#!/bin/sh
# Supervises the process starts of one instance.
#
#   supervisor.sh CONTROL claim [ENTER...]    ENTER...: a command that enters a PID namespace
#
# Files in CONTROL are the truth, a FIFO is only the doorbell:
#   desired     written by the agent, by rename: "start N | stop N | kill N | quit", then "sample K"
#   launch-N    written by the agent before "start N": sets work, log and the arguments
#   state       appended to here: claimed N; started N pid starttime bootid, written by the child
#               itself before exec; exited N code (128 + n by signal n); cleared N; left
#   supervisor  who supervises, made once with O_EXCL: there is never a second one
#   bell        rung by the agent; go: rung by the listener
#
# Two processes, so that a start costs one fork and nothing polls: this one runs the command in its
# foreground (in the background a shell would leave it deaf to SIGINT), the listener hears the bell
# meanwhile. As PID 1 of a namespace, "kill -1" reaches everything but this process. Elsewhere
# signals are the agent's business.
#
# POSIX sh; dash, busybox ash and bash run it. No program but mkfifo is needed.

control=$1
mode=$2
shift 2
cd "$control" || exit 1

# Who this very process is, without a fork. Without /proc nobody knows: "-".
identify() {
    read -r pid _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ ticks _ 2>/dev/null </proc/self/stat ||
        pid=- ticks=-
    read -r boot 2>/dev/null </proc/sys/kernel/random/boot_id || boot=-
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
    verb= n= sample=
    { read -r verb n _ && read -r _ sample _; } 2>/dev/null <desired
    n=${n:-0} sample=${sample:-0}
}

# Runs the command of process start n.
run() {
    current=$n
    put "claimed $n"
    (
        exec 3>&- 5>&- 6<&- </dev/null
        work=/ log=/dev/null
        . "./launch-$n"
        exec >>"$log" 2>&1
        cd "$work" || exit 125
        identify
        printf 'started %s %s %s %s\n' "$n" "$pid" "$ticks" "$boot" >&4 || exit 125
        exec "$@" 4>&-
    )
    code=$?
    [ $code -ne 125 ] || newline='\n'
    put "exited $n $code"
    clear_away
}

# Ends what the command left behind. The listener goes with it and is made anew.
clear_away() {
    if [ "$alone" ]; then
        kill_others
        listen
        put "cleared $current"
    else
        jobs >/dev/null
        kill -0 "$listener" 2>/dev/null || listen
    fi
}

# As PID 1: until nobody else is left. A killed process takes a moment to die.
kill_others() {
    kill -KILL -1 2>/dev/null
    wait "$listener" 2>/dev/null
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
    told=0 running=
    while read -r _ <&3; do
        look
        catch_up
        [ "$sample" -le "$sampled" ] || take_sample
        if [ -z "$running" ]; then
            # nothing but a higher number, or the end, is news to the other process
            [ "$verb" = quit ] || [ "$n" -gt "$current" ] && printf '\n' >&5
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
    while read -r word number _ <&6; do
        number=${number:-0}
        case $word in
            claimed) [ "$number" -le "$current" ] || { current=$number running=1; } ;;
            exited) [ "$number" -ne "$current" ] || running= ;;
        esac
    done
}

# The processes of this namespace as /proc tells them; complete when its last line is "end K".
take_sample() {
    sampled=$sample
    [ "$alone" ] || return 0
    for process in /proc/[0-9]*; do
        read -r line 2>/dev/null <"$process/stat" && printf '%s\n' "$line"
    done >sample
    printf 'end %s\n' "$sample" >>sample
}

if [ "$mode" = claim ]; then
    kind=tree
    [ $$ -ne 1 ] || kind=alone
    [ $# -eq 0 ] || kind=namespace
    identify
    set -C
    printf '%s %s %s %s\n' "$pid" "$ticks" "$boot" "$kind" 2>/dev/null >supervisor || exit 0
    set +C
    [ -p bell ] && [ -p go ] || mkfifo -m 600 bell go || exit 1
    [ $# -eq 0 ] || exec "$@" sh "$control/supervisor.sh" "$control" run
fi

alone= newline= listener= current=0 code=0 sampled=0
[ $$ -ne 1 ] || alone=1
trap : TERM INT HUP
exec 3<>bell 4>>state 5<>go 6<state
listen
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
