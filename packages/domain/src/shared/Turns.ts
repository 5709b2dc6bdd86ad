/** Merges queues round-robin, at most `limit` items, so that a long queue does not delay the others. */
export const inTurns = <A>(queues: ReadonlyArray<ReadonlyArray<A>>, limit: number): ReadonlyArray<A> => {
  const taken: Array<A> = []
  for (let place = 0; taken.length < limit; place++) {
    const row = queues.flatMap((queue) => queue.slice(place, place + 1))
    if (row.length === 0) return taken
    taken.push(...row.slice(0, limit - taken.length))
  }
  return taken
}
