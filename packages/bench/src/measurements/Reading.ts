import { createHash, randomBytes } from "node:crypto"
import { DatabaseSync } from "node:sqlite"
import { tokenLength } from "@wcs/domain/access/OpaqueToken"
import { expiryOf } from "@wcs/domain/login/Session"
import { type Bench, serverOn } from "../Bench.ts"
import { type Dataset, storeFile } from "../data/Dataset.ts"
import { idAt } from "../data/Ids.ts"
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

/** Measures `GET /credentials/{id}`, authenticated: ours by token and by session, the floor and Fastify. */
export const measureReading = async (bench: Bench, dataset: Dataset): Promise<ReadonlyArray<Row>> => {
  const { client, plan, say } = bench
  say("reading a credential: ours, floor, Fastify")
  const session = beginSession(dataset)
  const ours = await serverOn(bench, dataset, "ours")
  const floor = await serverOn(bench, dataset, "floor")
  const fastify = await serverOn(bench, dataset, "fastify")
  const job = {
    token: dataset.token.secret,
    connections,
    template: { method: "GET", path: "/openapi/v1/credentials/$0" },
    keys: keysOf(dataset),
    repeats: true,
    expected: '"id":"$0","type":"credential"'
  } as const
  const take = (server: Server, millis: number) => () => sampleOf(server, client, { ...job, millis }, perSecond)

  for (const { server } of [ours, floor, fastify]) await take(server, plan.warmUpMillis)()
  const bySession = () => sampleOf(ours.server, client, { ...job, session, millis: plan.roundMillis }, perSecond)
  await bySession()
  const series = await interleaved(plan.rounds, "/s", {
    session: bySession,
    ours: take(ours.server, plan.roundMillis),
    floor: take(floor.server, plan.roundMillis),
    Fastify: take(fastify.server, plan.roundMillis)
  })
  for (const { server } of [ours, floor, fastify]) await server.stop()

  const what = "GET /credentials/{id}"
  return [
    {
      what,
      against: "the floor, node:http",
      ours: series("ours"),
      other: series("floor"),
      goal: { direction: "at least", bar: 0.3, aim: 0.5 }
    },
    {
      what,
      against: "Fastify",
      ours: series("ours"),
      other: series("Fastify"),
      goal: { direction: "at least", bar: 0.5, aim: 1 }
    },
    {
      what: `${what} by a token`,
      against: "the same by a session",
      ours: series("ours"),
      other: series("session"),
      goal: { direction: "at most", bar: 1.1, aim: 1.05 }
    }
  ]
}
