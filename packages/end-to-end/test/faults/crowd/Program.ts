/** The end of a program with requests: a signal or a deadline. */
export const ending = new AbortController()

process.once("SIGTERM", () => ending.abort())
process.once("disconnect", () => process.exit())

/** The parameters of the program. */
export const given: unknown = JSON.parse(process.argv[2] ?? "null")

/** Tells the parent process something. */
export const tell = (what: unknown): void => {
  process.send?.(what)
}

/** Waits some milliseconds, or until the end. */
export const waited = (millis: number): Promise<void> =>
  new Promise((resolve) => {
    if (ending.signal.aborted) return resolve()
    const timer = setTimeout(resolve, millis)
    ending.signal.addEventListener("abort", () => resolve(clearTimeout(timer)), { once: true })
  })

/** Counts by name. */
export class Counts {
  readonly #counts = new Map<string, number>()

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  all(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].toSorted())
  }
}
