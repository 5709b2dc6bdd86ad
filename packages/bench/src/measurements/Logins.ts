import { DatabaseSync } from "node:sqlite"
import { Passwords } from "@wcs/domain/user/Passwords"
import * as Keys from "@wcs/keys/Passwords"
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { type Bench, serverOn } from "../Bench.ts"
import { type Dataset, storeFile } from "../data/Dataset.ts"
import { idAt } from "../data/Ids.ts"
import type { LoadJob, LoadResult } from "../load/LoadJob.ts"
import type { Row } from "../Row.ts"
import { interleaved, type Sample, sampleOf } from "../Series.ts"

const password = "correct horse battery"
const email = "super@example.org"

/** Timed logins of each kind, one after the other. */
const logins = 200
/** The number of connections that log in concurrently, and of connections that read at the same time. */
const busy = 8
const reading = 8

/** Sets a user's password, like `wcs admin set-password`. */
const setPassword = async ({ directory }: Dataset): Promise<void> => {
  const hash = await Effect.runPromise(
    Effect.provide(
      Passwords.use((passwords) => passwords.hash(Redacted.make(password), { tenantId: "bench", address: null })),
      Layer.provide(Keys.layer, SecureRandom.layerWebCrypto)
    )
  )
  using database = new DatabaseSync(storeFile(directory))
  database.prepare("UPDATE account SET password_hash = ? WHERE email = ?").run(hash, email)
}

const basic = (username: string, secret: string): string =>
  `Basic ${Buffer.from(`${username}:${secret}`).toString("base64")}`

const loginJob = (keys: LoadJob["keys"], connections: number, status: 200 | 401) =>
  ({
    token: "",
    authorization: "$0",
    connections,
    template: { method: "GET", path: "/api/users/me" },
    keys,
    repeats: false,
    millis: 600_000,
    expected: status === 200 ? `"email":"${email}"` : '"field":"authentication"',
    status
  }) as const

const inTheMiddle = ({ p50 }: LoadResult): number => p50

/**
 * Compares logins of an unknown user with those of a known one with a wrong password, and measures reads during logins.
 */
export const measureLogins = async (bench: Bench, dataset: Dataset): Promise<ReadonlyArray<Row>> => {
  const { client, plan, processes, say } = bench
  say("logging in: unknown users, known ones, and readers meanwhile")
  await setPassword(dataset)
  const { data, server } = await serverOn(bench, dataset, "ours")
  const each = Math.ceil(logins / plan.rounds)
  const one = <Key>(keyAt: (n: number) => Key) => Array.from({ length: each }, (_, n) => [keyAt(n)] as const)
  const take = (username: (n: number) => string, secret: string, status: 200 | 401) => () =>
    sampleOf(
      server,
      client,
      loginJob(
        one((n) => basic(username(n), secret)),
        1,
        status
      ),
      inTheMiddle
    )
  const unknown = take((n) => `nobody${n}@example.org`, password, 401)
  const wrong = take(() => email, "correct horse batteries", 401)
  const right = take(() => email, password, 200)
  await right()
  const series = await interleaved(plan.rounds, "ms", { unknown, wrong, right })

  const readJob = {
    token: data.token.secret,
    connections: reading,
    template: { method: "GET", path: "/openapi/v1/credentials/$0" },
    keys: Array.from({ length: 1_000 }, (_, n) => [idAt("credential", n)]),
    repeats: true,
    millis: plan.roundMillis,
    expected: '"id":"$0","type":"credential"'
  } as const
  const other = await processes.client()
  const read = () => sampleOf(server, client, readJob, inTheMiddle)
  const readMeanwhile = async (): Promise<Sample> => {
    const keys = Array.from({ length: 100_000 }, () => [basic(email, password)])
    const job = { ...loginJob(keys, busy, 200), millis: plan.roundMillis, port: server.port }
    const [sample] = await Promise.all([read(), other.load(job)])
    return sample
  }
  const readings = await interleaved(plan.rounds, "ms", { meanwhile: readMeanwhile, alone: read })
  await other.stop()
  await server.stop()

  const goal = { direction: "at most", bar: 1.2, aim: 1.1 } as const
  const [slow, quick] = [series("unknown"), series("wrong")]
  return [
    { what: "login of an unknown user", against: "known user, wrong password", ours: slow, other: quick, goal },
    { what: "login of a known user, wrong password", against: "unknown user", ours: quick, other: slow, goal },
    {
      what: "login of a known user, right password",
      against: "known user, wrong password",
      ours: series("right"),
      other: quick,
      goal: null
    },
    {
      what: `GET /credentials/{id} while ${busy} log in`,
      against: "nobody logs in",
      ours: readings("meanwhile"),
      other: readings("alone"),
      goal: { direction: "at most", bar: 1.5, aim: 1.2 },
      note: `median time of a read, over ${reading} connections`
    }
  ]
}
