import { Refusal } from "./Refusal.ts"

/** A page of a list. */
export interface Page<Row> {
  readonly data: ReadonlyArray<Row>
  readonly meta: { readonly nextCursor: string | null }
}

/** The maximum number of waits for the rate limit per page. */
const waitsMax = 10

const pause = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000))

/** Retries a read after the `Retry-After` of the rate limit. */
const withinRateLimit = async <Answer>(read: () => Promise<Answer>, waits = 0): Promise<Answer> => {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 429 || waits === waitsMax) throw error
    await pause(error.retryAfterSeconds ?? 1)
    return withinRateLimit(read, waits + 1)
  }
}

/**
 * Reads all rows of a list, page by page. `onRows` gets their number so far. If it returns false, the result is null.
 */
export const allPages = async <Row>(
  read: (cursor: string) => Promise<Page<Row>>,
  onRows: (count: number) => boolean
): Promise<ReadonlyArray<Row> | null> => {
  const rows: Array<Row> = []
  let cursor: string | null = ""
  while (cursor !== null) {
    const from: string = cursor
    const { data, meta }: Page<Row> = await withinRateLimit(() => read(from))
    rows.push(...data)
    if (!onRows(rows.length)) return null
    cursor = meta.nextCursor
  }
  return rows
}
