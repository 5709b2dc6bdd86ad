import { bucketsOf, mostOf, type Samples, sumOf, valuesOf } from "./Samples.ts"

/** Latencies in milliseconds; null if nothing happened. */
interface Latencies {
  readonly p50: number | null
  readonly p95: number | null
  readonly p99: number | null
}

/** Figures of a time span. Rates are per second. */
export interface Figures {
  readonly seconds: number
  readonly version: string
  readonly processes: number
  readonly requests: Latencies & {
    readonly all: number
    readonly clientErrors: number
    readonly serverErrors: number
    readonly refusedAccess: number
  }
  readonly deliveries: Latencies & Readonly<Record<"taken" | "refused" | "unanswered" | "unsent", number>>
  /** Seconds that the last new delivery waited. */
  readonly deliveryLag: number
  readonly register: Latencies & { readonly concluded: number; readonly postponed: number }
  readonly waiting: {
    readonly events: number
    readonly deadLetters: number
    readonly deliveries: number
    readonly laterDeliveries: number
    readonly verifications: number
    readonly laterVerifications: number
    readonly reviews: number
  }
  readonly failingWebhooks: number
  readonly process: { readonly cpu: number; readonly memoryBytes: number; readonly eventLoop: number }
}

const none: Samples = new Map()

/** A quantile of a histogram's increase, interpolated within its bucket, in the unit of the boundaries. */
export const quantile = (increases: ReadonlyMap<number, number>, q: number): number | null => {
  const buckets = [...increases].sort(([one], [two]) => one - two)
  const total = buckets.at(-1)?.[1] ?? 0
  if (total <= 0) return null
  const rank = q * total
  let [lower, below] = [0, 0]
  for (const [boundary, count] of buckets) {
    if (count >= rank) {
      if (!Number.isFinite(boundary)) return lower
      return count === below ? boundary : lower + ((boundary - lower) * (rank - below)) / (count - below)
    }
    lower = boundary
    below = count
  }
  return lower
}

/** The figures between two samples, or since the start of the processes. */
export const figuresOf = (before: Samples | undefined, now: Samples, seconds: number): Figures => {
  const earlier = before ?? none
  const increase = (name: string, labels: Readonly<Record<string, string>> = {}) =>
    Math.max(0, sumOf(now, name, labels) - sumOf(earlier, name, labels))
  const rate = (name: string, labels: Readonly<Record<string, string>> = {}) => increase(name, labels) / seconds
  const statuses = valuesOf(now, "http_requests_total", "status")
  const rateOfStatuses = (first: string) =>
    statuses
      .filter((status) => status.startsWith(first))
      .reduce((sum, status) => sum + rate("http_requests_total", { status }), 0)
  const latenciesOf = (name: string): Latencies => {
    const counts = bucketsOf(earlier, name)
    const increases = new Map(
      Array.from(bucketsOf(now, name), ([boundary, count]) => [boundary, count - (counts.get(boundary) ?? 0)])
    )
    const millis = (q: number) => {
      const found = quantile(increases, q)
      return found === null ? null : found * 1000
    }
    return { p50: millis(0.5), p95: millis(0.95), p99: millis(0.99) }
  }
  const attempts = (outcome: string) => rate("delivery_attempts_total", { outcome })
  const processes = Math.max(1, now.get("process_resident_memory_bytes")?.length ?? 1)
  return {
    seconds,
    version: valuesOf(now, "build_info", "version").join(", "),
    processes,
    requests: {
      all: rate("http_requests_total"),
      clientErrors: rateOfStatuses("4"),
      serverErrors: rateOfStatuses("5"),
      refusedAccess: rate("access_refusals_total"),
      ...latenciesOf("http_request_duration_seconds")
    },
    deliveries: {
      taken: attempts("taken"),
      refused: attempts("refused"),
      unanswered: attempts("unanswered"),
      unsent: attempts("unsent"),
      ...latenciesOf("delivery_attempt_duration_seconds")
    },
    deliveryLag: mostOf(now, "delivery_lag_seconds"),
    register: {
      concluded: rate("verification_questions_total", { outcome: "concluded" }),
      postponed: rate("verification_questions_total", { outcome: "postponed" }),
      ...latenciesOf("verification_question_duration_seconds")
    },
    waiting: {
      events: mostOf(now, "events_waiting", { state: "pending" }),
      deadLetters:
        mostOf(now, "events_waiting", { state: "retrying" }) + mostOf(now, "events_waiting", { state: "dead" }),
      deliveries: mostOf(now, "deliveries_waiting", { due: "now" }),
      laterDeliveries: mostOf(now, "deliveries_waiting", { due: "later" }),
      verifications: mostOf(now, "verification_runs_waiting", { due: "now" }),
      laterVerifications: mostOf(now, "verification_runs_waiting", { due: "later" }),
      reviews: mostOf(now, "verification_runs_waiting", { due: "review" })
    },
    failingWebhooks: mostOf(now, "webhooks_failing"),
    process: {
      cpu: rate("process_cpu_seconds_total"),
      memoryBytes: sumOf(now, "process_resident_memory_bytes"),
      eventLoop: mostOf(now, "event_loop_utilization_ratio")
    }
  }
}
