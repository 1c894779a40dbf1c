// A bounded channel: whoever waits wakes up by a broadcast, but tests the condition only once, so that two receivers take one
// item and the count falls below zero.
//
// expect: unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { SIZE = 2 };

typedef struct channel {
    pthread_mutex_t lock;
    pthread_cond_t not_empty, not_full;
    void *items[SIZE];
    int first, count;
} channel_t;

int channel_open(channel_t *channel)
{
    channel->first = channel->count = 0;
    if (pthread_mutex_init(&channel->lock, 0) != 0) return -1;
    if (pthread_cond_init(&channel->not_empty, 0) != 0) return -1;
    if (pthread_cond_init(&channel->not_full, 0) != 0) return -1;
    return 0;
}

void channel_send(channel_t *channel, void *item)
{
    pthread_mutex_lock(&channel->lock);
    while (channel->count == SIZE) pthread_cond_wait(&channel->not_full, &channel->lock);
    channel->items[(channel->first + channel->count++) % SIZE] = item;
    pthread_cond_broadcast(&channel->not_empty);
    pthread_mutex_unlock(&channel->lock);
}

void *channel_receive(channel_t *channel)
{
    pthread_mutex_lock(&channel->lock);
    if (channel->count == 0) pthread_cond_wait(&channel->not_empty, &channel->lock);
    assert(channel->count > 0);
    void *item = channel->items[channel->first];
    channel->first = (channel->first + 1) % SIZE;
    channel->count--;
    pthread_cond_signal(&channel->not_full);
    pthread_mutex_unlock(&channel->lock);
    return item;
}

void channel_close(channel_t *channel)
{
    pthread_mutex_destroy(&channel->lock);
    pthread_cond_destroy(&channel->not_empty);
    pthread_cond_destroy(&channel->not_full);
}
