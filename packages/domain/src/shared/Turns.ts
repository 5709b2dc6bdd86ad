/** The first of each queue, then the second of each, and so on, at most so many: who waits much delays nobody else. */
export const inTurns = <A>(queues: ReadonlyArray<ReadonlyArray<A>>, limit: number): ReadonlyArray<A> => {
  const taken: Array<A> = []
  for (let place = 0; taken.length < limit; place++) {
    const row = queues.flatMap((queue) => queue.slice(place, place + 1))
    if (row.length === 0) return taken
    taken.push(...row.slice(0, limit - taken.length))
  }
  return taken
}
