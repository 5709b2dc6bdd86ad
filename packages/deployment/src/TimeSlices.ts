import { type Fiber, Layer, Scheduler } from "effect"

/**
 * How long fibers run before the event loop turns, in milliseconds. A turn has two slices, of waiting fibers and of
 * arriving requests, and the last operation of each may take a few milliseconds longer. So no turn takes more than 10 ms.
 */
const sliceMillis = 3

/** A clock is read at every nth operation, because reading it costs as much as an operation. */
const operationsPerCheck = 4

/** Runs waiting fibers in order until the slice is over, and the others on the next turn of the event loop. */
class Turns implements Scheduler.SchedulerDispatcher {
  #tasks: Array<{ readonly run: () => void; readonly priority: number }> = []
  #isScheduled = false
  readonly #slice: Slice

  constructor(slice: Slice) {
    this.#slice = slice
  }

  scheduleTask(run: () => void, priority: number): void {
    const last = this.#tasks.at(-1)
    if (last === undefined || last.priority <= priority) this.#tasks.push({ run, priority })
    else
      this.#tasks.splice(
        this.#tasks.findIndex((task) => task.priority > priority),
        0,
        { run, priority }
      )
    this.#schedule()
  }

  flush(): void {
    while (this.#tasks.length > 0) this.#run()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#run()
    })
  }

  /** Tasks that are added meanwhile wait for the next turn, so that input and output come in between. */
  #run(): void {
    const tasks = this.#tasks
    this.#tasks = []
    this.#slice.begin()
    let done = 0
    try {
      do tasks[done++]?.run()
      while (done < tasks.length && !this.#slice.isOver())
    } finally {
      this.#slice.end()
      if (done < tasks.length) {
        this.#tasks = [...tasks.slice(done), ...this.#tasks].sort((one, two) => one.priority - two.priority)
      }
      if (this.#tasks.length > 0) this.#schedule()
    }
  }
}

/** The time since the first operation of a turn. */
class Slice {
  /** Whether waiting fibers run, which must not wait again before their first operation. */
  isOfTurns = false
  #begunAt: number | undefined
  #isEnding = false
  readonly #end = () => {
    this.#isEnding = false
    this.#begunAt = undefined
  }

  begin(): void {
    this.isOfTurns = true
    this.#begunAt = performance.now()
  }

  end(): void {
    this.isOfTurns = false
    this.#begunAt = undefined
  }

  isOver(): boolean {
    const now = performance.now()
    if (this.#begunAt !== undefined) return now - this.#begunAt >= sliceMillis
    this.#begunAt = now
    if (!this.#isEnding) {
      this.#isEnding = true
      setImmediate(this.#end) // runs after all input of this turn has been handled
    }
    return false
  }
}

/** Effect's scheduler, but fibers yield by time, and not only after a number of operations. */
class TimeSlices implements Scheduler.Scheduler {
  readonly executionMode = "async"
  readonly #slice = new Slice()
  readonly #turns = new Turns(this.#slice)
  #operations = 0

  shouldYield(fiber: Fiber.Fiber<unknown, unknown>): boolean {
    if (fiber.currentOpCount >= fiber.cache.maxOpsBeforeYield) return true
    // An arriving request waits before it has done a part of its work.
    if (fiber.currentOpCount === 1 && !this.#slice.isOfTurns) return this.#slice.isOver()
    return (++this.#operations & (operationsPerCheck - 1)) === 0 && this.#slice.isOver()
  }

  makeDispatcher(): Scheduler.SchedulerDispatcher {
    return this.#turns
  }
}

/** The one scheduler rule of a server: no request keeps the others waiting for more than 10 ms at a time. */
export const layer: Layer.Layer<never> = Layer.sync(Scheduler.Scheduler, () => new TimeSlices())
