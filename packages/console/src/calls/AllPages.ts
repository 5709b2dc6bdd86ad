import { Refusal } from "./Refusal.ts"

interface Page<Row> {
  readonly data: ReadonlyArray<Row>
  readonly meta: { readonly nextCursor: string | null }
}

const pause = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000))

/** Calls again after the wait that the rate limit asks for. */
const patiently = async <Answer>(read: () => Promise<Answer>): Promise<Answer> => {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 429) throw error
    await pause(error.retryAfterSeconds ?? 1)
    return patiently(read)
  }
}

/** All rows of a list, page by page. `onRows` is told how many there are so far, and answers whether to go on. */
export const allPages = async <Row>(
  read: (cursor: string) => Promise<Page<Row>>,
  onRows: (count: number) => boolean
): Promise<ReadonlyArray<Row> | null> => {
  const rows: Array<Row> = []
  let cursor: string | null = ""
  while (cursor !== null) {
    const from: string = cursor
    const { data, meta }: Page<Row> = await patiently(() => read(from))
    rows.push(...data)
    if (!onRows(rows.length)) return null
    cursor = meta.nextCursor
  }
  return rows
}
