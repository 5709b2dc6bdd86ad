import { DatabaseSync } from "node:sqlite"
import { type Bench, serverOn } from "../Bench.ts"
import { batchCredentials, batchSize, batchWorkers, type Dataset, storeFile } from "../data/Dataset.ts"
import { medianOf } from "../load/Spread.ts"
import type { Batch } from "../load/Statement.ts"
import type { Row } from "../Row.ts"
import { interleaved, millisEach, type Sample, sampleOf } from "../Series.ts"

/** The number of changes of owners in the audit log. */
const auditedMoves = ({ directory }: Dataset): number => {
  using database = new DatabaseSync(storeFile(directory), { readOnly: true })
  const { moved } = database
    .prepare("SELECT count(*) AS moved FROM audit_event WHERE action = 'bulk transfer'")
    .get() ?? {
    moved: 0
  }
  return Number(moved)
}

/** Batches over HTTP, one after the other, back and forth between two workers. */
const overHttp = async (bench: Bench, dataset: Dataset) => {
  const { data, server } = await serverOn(bench, dataset, "ours")
  const [one, other] = batchWorkers(data)
  const credentialIds = JSON.stringify(batchCredentials(data))
  const body = `{"from":{"type":"worker","id":"$0"},"to":{"type":"worker","id":"$1"},"credentialIds":${credentialIds}}`
  const job = {
    token: data.token.secret,
    connections: 1,
    template: { method: "POST", path: "/openapi/v1/credentials/transfer", body },
    keys: Array.from({ length: bench.plan.batches }, (_, n) => (n % 2 === 0 ? [one, other] : [other, one])),
    repeats: false,
    millis: 60_000,
    expected: `"meta":{"total":${batchSize},"succeeded":${batchSize},"failed":0`
  } as const
  const move = (): Promise<Sample> => sampleOf(server, bench.client, job, millisEach)
  return { data, move, stop: () => server.stop() }
}

/** The hand-written statement in a process of its own, without HTTP. */
const byStatement = async ({ copy, plan, processes }: Bench, dataset: Dataset) => {
  const data = await copy(dataset)
  const process = await processes.statement(data.directory)
  const [one, other] = batchWorkers(data)
  const batch = { tenantId: data.tenantId, credentialIds: batchCredentials(data) }
  const move = async (): Promise<Sample> => {
    const millis: Array<number> = []
    for (let n = 0; n < plan.batches; n++) {
      const [from, to] = n % 2 === 0 ? [one, other] : [other, one]
      millis.push((await process.ask("transfer", { ...batch, from, to } satisfies Batch)) as number)
    }
    return { value: millis.reduce((sum, each) => sum + each, 0) / millis.length }
  }
  return { data, move, stop: () => process.stop() }
}

/** Compares `POST /credentials/transfer` with a full batch to the SQL statement that does the same. */
export const measureMoving = async (bench: Bench, dataset: Dataset): Promise<ReadonlyArray<Row>> => {
  const { plan, say } = bench
  say(`moving ${batchSize} credentials in one batch: ours, one statement`)
  const ours = await overHttp(bench, dataset)
  const statement = await byStatement(bench, dataset)
  const sides = [ours, statement]
  for (const { move } of sides) await move()
  const series = await interleaved(plan.rounds, "ms", { ours: ours.move, statement: statement.move })
  for (const { data, stop } of sides) {
    await stop()
    const expected = (plan.rounds + 1) * plan.batches * batchSize
    const found = auditedMoves(data)
    if (found !== expected) throw new Error(`${expected} credentials were moved, but the audit log has ${found}`)
  }
  return [
    {
      what: `bulk transfer of ${batchSize}, over HTTP`,
      against: "one SQL statement",
      ours: series("ours"),
      other: series("statement"),
      goal: { direction: "at most", bar: 2.6, aim: 2.3 },
      note: `one client; p50 ${medianOf(series("ours").samples.map(({ load }) => load?.p50 ?? Number.NaN)).toFixed(2)} ms`
    }
  ]
}
