/** A traced request whose duration is in a bucket of a histogram. */
interface Exemplar {
  readonly traceId: string
  readonly seconds: number
  /** Unix time in seconds. */
  readonly at: number
}

/** The latest traced request of each bucket of the request durations. */
export class Exemplars {
  readonly #boundaries: ReadonlyArray<number>
  readonly #latest = new Map<string, Exemplar>()

  constructor(boundaries: ReadonlyArray<number>) {
    this.#boundaries = boundaries
  }

  note(traceId: string, seconds: number): void {
    const boundary = this.#boundaries.find((most) => seconds <= most)
    this.#latest.set(boundary === undefined ? "+Inf" : String(boundary), { traceId, seconds, at: Date.now() / 1000 })
  }

  /** The exemplar of a bucket in OpenMetrics form; empty if there is none. `le` is the label of the bucket. */
  textOf(le: string): string {
    const exemplar = this.#latest.get(le)
    if (exemplar === undefined) return ""
    const { at, seconds, traceId } = exemplar
    return ` # {trace_id="${traceId}"} ${seconds} ${at.toFixed(3)}`
  }
}
