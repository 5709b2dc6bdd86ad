import { totalLimit } from "@wcs/domain/resource/ListQuery"
import type { Resource } from "@wcs/domain/resource/Resource"
import { definitions } from "@wcs/store-suite/resource/Definitions"
import type { Bench } from "../Bench.ts"
import { makeEmpty } from "../data/Dataset.ts"
import { fillLists } from "../data/ListData.ts"
import type { Server } from "../load/Processes.ts"
import { judged, type Row, reachesAim, verdictOf } from "../Row.ts"
import { interleaved, millisEach, type Series, sampleOf } from "../Series.ts"
import {
  filterQuestions,
  pageSize,
  plainQuestion,
  type Question,
  scatteredRows,
  sortQuestions,
  type Tables,
  totalQuestion,
  wideQuestions
} from "./ListQuestions.ts"

const goal = { direction: "at most", bar: 1.3, aim: 1.1 } as const

/** A store with many rows of every definition, and its server. */
interface Filled {
  readonly server: Server
  readonly token: string
  readonly tables: Tables
}

const makeFilled = async ({ place, processes, say }: Bench, rows: number): Promise<Filled> => {
  say(`filling a store with ${rows} rows of each of ${definitions.length} resources`)
  const directory = place()
  const { tenantId, token } = await makeEmpty(directory)
  fillLists(directory, tenantId, rows)
  const tables = scatteredRows(directory, tenantId, rows)
  return { server: await processes.server("ours", directory), token: token.secret, tables }
}

/** A query to one of the stores. */
interface Asked {
  readonly filled: Filled
  readonly resource: Resource
  readonly question: Question
  /** Text that every response must contain. */
  readonly expected?: string
}

const whatOf = ({ question, resource }: Asked): string => `GET /${resource.collection}?${question.what}`

const pathOf = ({ collection }: Resource, query: string): string => `/openapi/v1/${collection}?${query}`

/** The response to the nth query, and its duration. */
const answerTo = async ({ filled: { server, token }, question, resource }: Asked, n: number) => {
  const path = pathOf(resource, question.queries[n] ?? question.queries[0] ?? "")
  const headers = { authorization: `Bearer ${token}`, "x-forwarded-proto": "https" }
  const begun = performance.now()
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers })
  const { data = [] } = (await response.json()) as { readonly data?: ReadonlyArray<unknown> }
  return { path, status: response.status, length: data.length, millis: performance.now() - begun }
}

/** Checks that the compared pages have the same length. */
const checkLengths = async (ours: Asked, other: Asked): Promise<void> => {
  for (const n of [0, 1, 2]) {
    const [one, two] = [await answerTo(ours, n), await answerTo(other, n)]
    const isAlike = one.status === 200 && two.status === 200 && one.length === two.length
    if (!isAlike) throw new Error(`${one.path}: ${one.status}, ${one.length} rows; ${two.status}, ${two.length} rows`)
  }
}

/**
 * Measures the server's processor time per call. Hundreds of queries run for a moment each, so wall time would include
 * other activity on the machine.
 */
const take = ({ client, plan }: Bench, { expected, filled, question, resource }: Asked) => {
  const { server, token } = filled
  const job = {
    token,
    connections: 8,
    template: { method: "GET" as const, path: pathOf(resource, "$0") },
    keys: question.queries.map((query) => [query]),
    repeats: true,
    millis: plan.listMillis,
    expected: expected ?? `"pageSize":${pageSize}`
  }
  return async () => {
    const sample = await sampleOf(server, client, job, millisEach)
    return { ...sample, value: sample.server.cpuMillis / sample.load.requests }
  }
}

/** Compares one query with another, in turns. An expensive result is measured again for longer, and that counts. */
const compare = async (bench: Bench, ours: Asked, other: Asked, row: Pick<Row, "against" | "goal">): Promise<Row> => {
  const sides = { ours: take(bench, ours), other: take(bench, other) }
  await sides.ours()
  await sides.other()
  const { listRounds } = bench.plan
  const measure = async (rounds: number): Promise<Row> => {
    const series = await interleaved(rounds, "ms", sides)
    return { what: whatOf(ours), ours: series("ours"), other: series("other"), ...row }
  }
  const first = await measure(listRounds)
  return first.goal === null || reachesAim(first) ? first : measure(listRounds * 3)
}

/** Compares one call each, which may take seconds. If a server gives up, its time until then is reported. */
const compareOnce = async (ours: Asked, other: Asked, row: Pick<Row, "against" | "goal">): Promise<Row> => {
  const seriesOf = async (side: string, asked: Asked): Promise<Series> => {
    const { millis, status } = await answerTo(asked, 0)
    return { side: status === 200 ? side : `${side}, answered ${status}`, unit: "ms", samples: [{ value: millis }] }
  }
  return { what: whatOf(ours), ours: await seriesOf("ours", ours), other: await seriesOf("other", other), ...row }
}

/** The row that is furthest from its bar, in place of many. */
const worstOf = (what: string, rows: ReadonlyArray<Row>): Row => {
  const [worst] = rows.toSorted((one, two) => judged(two).median - judged(one).median)
  if (worst === undefined) throw new Error(`${what}: no query was measured`)
  const beyond = rows.filter((row) => verdictOf(row) === "miss").length
  const note = `worst of ${rows.length}: ${worst.what}${beyond === 0 ? "" : `; ${beyond} beyond the bar`}`
  return { ...worst, what, note, among: rows }
}

/** Measures every filter and every sort of every resource, over few rows and over many. */
export const measureLists = async (bench: Bench): Promise<ReadonlyArray<Row>> => {
  const { plan, say } = bench
  const few = await makeFilled(bench, plan.fewRows)
  const many = await makeFilled(bench, plan.manyRows)
  const against = `itself: ${plan.manyRows} by ${plan.fewRows} rows`

  const pairs = (resource: Resource, questionsOf: typeof sortQuestions): ReadonlyArray<readonly [Asked, Asked]> => {
    const fromFew = questionsOf(resource, few.tables)
    return questionsOf(resource, many.tables).map((question, n) => [
      { filled: many, resource, question },
      { filled: few, resource, question: fromFew[n] ?? question }
    ])
  }

  const pages: Array<Row> = []
  const wide: Array<Row> = []
  const totals: Array<Row> = []
  for (const resource of definitions) {
    say(`every filter and sort of ${resource.collection}`)
    const rows: Array<Row> = []
    for (const [ours, other] of [...pairs(resource, sortQuestions), ...pairs(resource, filterQuestions)]) {
      await checkLengths(ours, other)
      rows.push(await compare(bench, ours, other, { against: `${against}, processor time`, goal }))
    }
    pages.push(worstOf(`${resource.collection}, every filter and sort`, rows))
    for (const [ours, other] of pairs(resource, wideQuestions)) {
      wide.push(await compareOnce(ours, other, { against, goal: null }))
    }
    const plain = { filled: many, resource, question: plainQuestion }
    const expected = `"total":${Math.min(plan.manyRows, totalLimit)}`
    const counted = { ...plain, question: totalQuestion, expected }
    totals.push(
      await compare(bench, counted, plain, { against: "the page without a total, processor time", goal: null })
    )
  }
  for (const { server } of [few, many]) await server.stop()
  return [
    ...pages,
    worstOf(
      "every group, every filter and sort",
      pages.flatMap(({ among = [] }) => among)
    ),
    worstOf("ranges with many rows, and common values in another order", wide),
    worstOf(`a total, counted up to ${totalLimit}`, totals)
  ]
}
