// Pipes, pairs of sockets and events hand over what was written to them, wait while there is nothing, and order the threads at both ends.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
// expect: undefined-behaviour true
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

int ends[2], event, data;

void *writer(void *unused)
{
    uint64_t one = 1;
    data = 7;
    write(ends[1], "ab", 2);
    close(ends[1]);
    write(event, &one, sizeof one);
    return 0;
}

int main(void)
{
    pthread_t thread;
    char buffer[4];
    uint64_t value;
    struct pollfd question;
    int sockets[2], silent[2];
    pipe(ends);
    event = eventfd(0, 0);
    pthread_create(&thread, 0, writer, 0);
    question.fd = ends[0];
    question.events = POLLIN;
    assert(poll(&question, 1, -1) == 1 && (question.revents & POLLIN));
    assert(read(ends[0], buffer, sizeof buffer) == 2 && buffer[0] == 'a' && buffer[1] == 'b');
    assert(data == 7);
    assert(read(ends[0], buffer, sizeof buffer) == 0);
    assert(read(event, &value, sizeof value) == sizeof value && value == 1);
    pthread_join(thread, 0);

    socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
    assert(send(sockets[0], "x", 1, 0) == 1 && recv(sockets[1], buffer, 1, 0) == 1 && buffer[0] == 'x');
    pipe2(silent, O_NONBLOCK);
    assert(read(silent[0], buffer, 1) == -1 && errno == EAGAIN);
    assert(write(silent[0], "x", 1) == -1 && errno == EBADF);
    return 0;
}
