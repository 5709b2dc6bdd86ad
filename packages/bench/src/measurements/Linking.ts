import { DatabaseSync } from "node:sqlite"
import { type Bench, serverOn } from "../Bench.ts"
import { databaseOf, poolSize } from "../data/DatabaseUrl.ts"
import { applicants, type Dataset, storeFile } from "../data/Dataset.ts"
import { idAt } from "../data/Ids.ts"
import { type OpenResult, openConnections } from "../load/OpenLoop.ts"
import type { Server } from "../load/Processes.ts"
import { connected } from "../Postgres.ts"
import type { Row } from "../Row.ts"
import { interleaved, meanGroup, perSecond, type Sample, sampleOf } from "../Series.ts"

const clients = 32

/** Counts links that have both an audit entry and a change in the store. */
const countLinked = `SELECT count(*) AS linked FROM audit_event AS a
  JOIN credential AS c ON c.tenant_id = a.tenant_id AND c.id = a.entity_id
  WHERE a.action = 'link' AND c.version = 2 AND c.applicant_id <> ''`

/** Counts those that also have an event. */
const countTold = `${countLinked} AND EXISTS (SELECT 1 FROM event AS e
  WHERE e.tenant_id = a.tenant_id AND e.subject_id = c.id AND e.sequence = c.version)`

const countIn = async (directory: string, statement: string): Promise<number> => {
  const url = databaseOf(directory)
  if (url !== null) return Number((await connected(url, (client) => client.query(statement))).rows[0].linked)
  using database = new DatabaseSync(storeFile(directory), { readOnly: true })
  return Number(database.prepare(statement).get()?.["linked"])
}

/** A side that links each credential once. */
export class Linker {
  readonly #bench: Bench
  readonly #data: Dataset
  readonly #server: Server
  #linked = 0
  #turnsLeft: number

  /** `turns`: among how many the credentials are divided. */
  constructor(
    bench: Bench,
    { data, server }: { readonly data: Dataset; readonly server: Server },
    turns = bench.plan.rounds + 1
  ) {
    this.#bench = bench
    this.#data = data
    this.#server = server
    this.#turnsLeft = turns
  }

  /** Links unused credentials for a while, or until this turn's share is used up. */
  async link(millis: number): Promise<Sample> {
    const job = { ...this.#nextJob(), connections: clients, repeats: false, millis }
    const sample = await sampleOf(this.#server, this.#bench.client, job, perSecond)
    this.#linked += sample.load.requests
    return sample
  }

  /** Links unused credentials at a rate for a while, or until this turn's share is used up. */
  async linkAt(rate: number, millis: number): Promise<OpenResult> {
    const job = this.#nextJob()
    const count = Math.min(job.keys.length, Math.floor((rate * millis) / 1000))
    const result = await this.#bench.client.openLoad({
      ...job,
      port: this.#server.port,
      connections: openConnections,
      perSecond: rate,
      count
    })
    this.#linked += result.answered
    return result
  }

  /** Links of this turn's unused credentials. */
  #nextJob() {
    const share = Math.floor((this.#data.credentials - this.#linked) / this.#turnsLeft--)
    return {
      token: this.#data.token.secret,
      template: {
        method: "POST",
        path: "/openapi/v1/credentials/$0/link",
        body: '{"type":"applicant","id":"$1"}'
      },
      keys: Array.from({ length: share }, (_, n) => {
        const nth = this.#linked + n
        return [idAt("credential", nth), idAt("applicant", nth % applicants)]
      }),
      expected: '"applicant":"$1"}'
    } as const
  }

  /** Ends the server, and checks that every acknowledged link is stored. */
  async finish(statement: string = countLinked): Promise<void> {
    await this.#server.stop()
    const found = await countIn(this.#data.directory, statement)
    if (found !== this.#linked) throw new Error(`${this.#linked} links were acknowledged, but ${found} are stored`)
  }
}

/**
 * Measures `POST /credentials/{id}/link`, durable: ours, ours with groups of one, and Fastify with one COMMIT per link.
 */
export const measureLinking = async (bench: Bench, dataset: Dataset): Promise<ReadonlyArray<Row>> => {
  const { plan, say } = bench
  say(`linking, ${clients} clients: ours, one link per COMMIT, Fastify`)
  const ours = new Linker(bench, await serverOn(bench, dataset, "ours"))
  const single = new Linker(bench, await serverOn(bench, dataset, "single"))
  const fastify = new Linker(bench, await serverOn(bench, dataset, "fastify"))

  for (const side of [ours, single, fastify]) await side.link(plan.warmUpMillis)
  const series = await interleaved(plan.rounds, "/s", {
    ours: () => ours.link(plan.roundMillis),
    "one link per COMMIT": () => single.link(plan.roundMillis),
    Fastify: () => fastify.link(plan.roundMillis)
  })
  for (const side of [ours, single, fastify]) await side.finish()

  const what = `POST /credentials/{id}/link, durable, ${clients} clients`
  const groups = `mean group ${meanGroup(series("ours")).toFixed(1)}`
  const other = (of: "one link per COMMIT" | "Fastify") => `${groups}, theirs ${meanGroup(series(of)).toFixed(1)}`
  return [
    {
      what,
      against: "this service, one link per COMMIT",
      ours: series("ours"),
      other: series("one link per COMMIT"),
      goal: { direction: "at least", bar: 3, aim: 4 },
      note: other("one link per COMMIT")
    },
    {
      what,
      against: "Fastify, one link per COMMIT",
      ours: series("ours"),
      other: series("Fastify"),
      goal: { direction: "at least", bar: 1.5, aim: 2.2 },
      note: other("Fastify")
    }
  ]
}

/** Subscribes to changes: from then on each leaves an event. */
const subscribe = (url: string, tenantId: string): Promise<unknown> =>
  connected(url, (client) =>
    client.query("INSERT INTO subscription VALUES ($1, 'credential.updated', 'whk_1')", [tenantId])
  )

/** The same on Postgres, with an event per link: ours, and the peers with a transaction per link. */
export const measurePostgresLinking = async (bench: Bench, dataset: Dataset): Promise<ReadonlyArray<Row>> => {
  const { plan, say } = bench
  say(`linking on Postgres, ${clients} clients: ours, Fastify, NestJS`)
  const url = databaseOf(dataset.directory)
  if (url === null) throw new Error("the store is not on Postgres")
  await subscribe(url, dataset.tenantId)
  const ours = new Linker(bench, await serverOn(bench, dataset, "ours"))
  const fastify = new Linker(bench, await serverOn(bench, dataset, "fastify"))
  const nestjs = new Linker(bench, await serverOn(bench, dataset, "nestjs"))

  for (const side of [ours, fastify, nestjs]) await side.link(plan.warmUpMillis)
  const series = await interleaved(plan.rounds, "/s", {
    ours: () => ours.link(plan.roundMillis),
    Fastify: () => fastify.link(plan.roundMillis),
    NestJS: () => nestjs.link(plan.roundMillis)
  })
  for (const side of [ours, fastify, nestjs]) await side.finish(countTold)

  const onPostgres = {
    what: `POST /credentials/{id}/link, durable, ${clients} clients, on Postgres`,
    ours: series("ours"),
    note: `${poolSize} connections each; a link leaves an audit entry and an event`
  }
  return [
    {
      ...onPostgres,
      against: "Fastify with pg",
      other: series("Fastify"),
      goal: { direction: "at least", bar: 1.4, aim: 1.9 }
    },
    {
      ...onPostgres,
      against: "NestJS with Drizzle",
      other: series("NestJS"),
      goal: { direction: "at least", bar: 3.5, aim: 6 }
    }
  ]
}
