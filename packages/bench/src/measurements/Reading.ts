import { createHash, randomBytes } from "node:crypto"
import { DatabaseSync } from "node:sqlite"
import { tokenLength } from "@wcs/domain/access/OpaqueToken"
import { expiryOf } from "@wcs/domain/session/Session"
import { type Bench, serverOn } from "../Bench.ts"
import { poolSize } from "../data/DatabaseUrl.ts"
import { type Dataset, storeFile } from "../data/Dataset.ts"
import { idAt } from "../data/Ids.ts"
import { type OpenResult, openConnections } from "../load/OpenLoop.ts"
import type { Server } from "../load/Processes.ts"
import type { Row } from "../Row.ts"
import { interleaved, perSecond, sampleOf } from "../Series.ts"

const connections = 32
/** The number of credentials to read, scattered over all of them. */
const asked = 5_000

const keysOf = ({ credentials }: Dataset): ReadonlyArray<ReadonlyArray<string>> => {
  const step = Math.max(1, Math.floor(credentials / asked))
  return Array.from({ length: Math.min(asked, credentials) }, (_, n) => [idAt("credential", n * step)])
}

/** Stores a new session of a Super Admin. Returns its token. */
const beginSession = ({ directory, tenantId }: Dataset): string => {
  const token = randomBytes(24).toString("hex").slice(0, tokenLength)
  const now = Date.now()
  using database = new DatabaseSync(storeFile(directory))
  database
    .prepare(
      `INSERT INTO session (tenant_id, id, account_id, token_hash, method, user_agent, created_at, authenticated_at,
        seen_at, expires_at)
       SELECT tenant_id, 'ses_0000000000000000', id, ?, 'password', 'bench', ?, ?, ?, ? FROM account
       WHERE tenant_id = ? AND email = 'super@example.org'`
    )
    .run(createHash("sha256").update(token).digest("hex"), now, now, now, expiryOf(now), tenantId)
  return token
}

const what = "GET /credentials/{id}"

/** A load of GETs, and the rounds of each side's server. */
export const readingOf = ({ client, plan }: Bench, dataset: Dataset) => {
  const job = {
    token: dataset.token.secret,
    connections,
    template: { method: "GET", path: "/openapi/v1/credentials/$0" },
    keys: keysOf(dataset),
    repeats: true,
    expected: '"id":"$0","type":"credential"'
  } as const
  const read = (server: Server, millis: number, session?: string) =>
    sampleOf(server, client, { ...job, millis, ...(session === undefined ? {} : { session }) }, perSecond)
  return {
    warmUp: (server: Server) => read(server, plan.warmUpMillis),
    /** An open loop at a rate. */
    readAt: (server: Server, rate: number): Promise<OpenResult> =>
      client.openLoad({
        ...job,
        port: server.port,
        connections: openConnections,
        perSecond: rate,
        count: Math.floor((rate * plan.roundMillis) / 1000)
      }),
    round: (server: Server, session?: string) => () => read(server, plan.roundMillis, session)
  }
}

/** Measures an authenticated GET: ours by token and by session, the floor and Fastify. */
export const measureReading = async (bench: Bench, dataset: Dataset): Promise<ReadonlyArray<Row>> => {
  const { plan, say } = bench
  say("reading a credential: ours, floor, Fastify")
  const session = beginSession(dataset)
  const { server: ours } = await serverOn(bench, dataset, "ours")
  const { server: floor } = await serverOn(bench, dataset, "floor")
  const { server: fastify } = await serverOn(bench, dataset, "fastify")
  const { round, warmUp } = readingOf(bench, dataset)

  for (const server of [ours, floor, fastify]) await warmUp(server)
  await round(ours, session)()
  const series = await interleaved(plan.rounds, "/s", {
    session: round(ours, session),
    ours: round(ours),
    floor: round(floor),
    Fastify: round(fastify)
  })
  for (const server of [ours, floor, fastify]) await server.stop()

  return [
    {
      what,
      against: "the floor, node:http only",
      ours: series("ours"),
      other: series("floor"),
      goal: { direction: "at least", bar: 0.7, aim: 0.8 }
    },
    {
      what,
      against: "Fastify",
      ours: series("ours"),
      other: series("Fastify"),
      goal: { direction: "at least", bar: 0.85, aim: 1 }
    },
    {
      what: `${what} by a session`,
      against: "by a token",
      ours: series("session"),
      other: series("ours"),
      goal: { direction: "at least", bar: 0.91, aim: 0.95 }
    }
  ]
}

/** The same GET on Postgres: ours and the peers. */
export const measurePostgresReading = async (bench: Bench, dataset: Dataset): Promise<ReadonlyArray<Row>> => {
  const { plan, say } = bench
  say("reading a credential on Postgres: ours, Fastify, NestJS")
  const { server: ours } = await serverOn(bench, dataset, "ours")
  const { server: fastify } = await serverOn(bench, dataset, "fastify")
  const { server: nestjs } = await serverOn(bench, dataset, "nestjs")
  const { round, warmUp } = readingOf(bench, dataset)

  for (const server of [ours, fastify, nestjs]) await warmUp(server)
  const series = await interleaved(plan.rounds, "/s", {
    ours: round(ours),
    Fastify: round(fastify),
    NestJS: round(nestjs)
  })
  for (const server of [ours, fastify, nestjs]) await server.stop()

  const onPostgres = { what: `${what}, on Postgres`, ours: series("ours"), note: `${poolSize} connections each` }
  return [
    { ...onPostgres, against: "Fastify with pg", other: series("Fastify"), goal: null },
    {
      ...onPostgres,
      against: "NestJS with Drizzle",
      other: series("NestJS"),
      goal: { direction: "at least", bar: 1.5, aim: 2 }
    }
  ]
}
