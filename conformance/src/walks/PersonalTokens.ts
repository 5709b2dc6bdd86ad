import { Effect } from "effect"
import { type Exchange, isIn, statusOf } from "../Exchange.ts"
import * as Expect from "../Expect.ts"
import { oauthPrincipal } from "../Grants.ts"
import { readCall } from "../GuardedCalls.ts"
import { block, control, judge, judgePair } from "../Judge.ts"
import { foundNothing, makeNone, opened, readWorkers, refuseInvented, seen } from "../Lookup.ts"
import { linkBody, worker } from "../OwnershipCalls.ts"
import type { Limited } from "../Profile.ts"
import { bodyOf, create, groupOf, madeId, makeCredential, makeWorker } from "../Resources.ts"
import { type Call, type PrincipalName, Session } from "../Session.ts"
import { differenceInShape } from "../Shape.ts"
import { fillPath } from "../Template.ts"
import { type Walk, walk } from "../Walk.ts"

const personal = walk(
  { name: "bearer/personal", judges: ["AUT-08"], blast: "read", needs: ["personal token"] },
  Effect.gen(function* () {
    const { send } = yield* Session
    const workers = yield* readWorkers("personalToken")
    const credentials = yield* send({
      method: "GET",
      path: "/credentials?ownerExternalId=conf-nobody",
      as: "personalToken"
    })
    yield* judge("AUT-08", [workers, credentials], [workers, credentials].flatMap(opened))
  })
)

const may = ({ privileges }: Limited, entity: string, operation: "READ" | "CREATE"): boolean =>
  privileges[entity]?.includes(operation) === true

/** What a limited token reads here, and must not read there. */
interface Partial {
  readonly as: PrincipalName
  readonly reads: Readable
  readonly lacks: Readable
}

const readable = ["worker", "credential"] as const
type Readable = (typeof readable)[number]

/** One limited token for each of the two ways round, as far as there are any. */
const partialsOf = (limited: ReadonlyArray<Limited>): ReadonlyArray<Partial> =>
  readable.flatMap((reads) => {
    const lacks = reads === "worker" ? "credential" : "worker"
    const place = limited.findIndex((one) => may(one, reads, "READ") && !may(one, lacks, "READ"))
    return place === -1 ? [] : [{ as: `limited.${place}` as const, reads, lacks }]
  })

const limitedReads = Effect.fnUntraced(function* ({ as, lacks, reads }: Partial) {
  const { send } = yield* Session
  const { call } = yield* readCall(lacks)
  const good = yield* control(send(call))
  const allowed = yield* send({ ...(yield* readCall(reads)).call, as })
  const refused = yield* send({ ...call, as })
  yield* judgePair("AUT-09", { control: good, probe: refused, after: allowed }, [
    ...Expect.status(allowed, 200),
    ...Expect.status(refused, 403)
  ])
})

/** Reading is not writing: who may only read makes nothing. */
const limitedCreate = Effect.fnUntraced(function* (as: PrincipalName) {
  const { unique } = yield* Session
  const own = yield* makeWorker()
  const good = yield* control(Effect.succeed(own.exchange))
  yield* seen(own.unique)
  const name = yield* unique
  const { after, probe } = yield* makeNone(name, { as, json: yield* bodyOf("worker", name) })
  yield* judgePair("AUT-09", { control: good, probe, after }, [...Expect.status(probe, 403), ...foundNothing(after)])
})

const limitedTokens = walk(
  { name: "bearer/limited", judges: ["AUT-09"], blast: "create", needs: ["limited tokens"] },
  Effect.gen(function* () {
    const { profile } = yield* Session
    const limited = profile.principals.limited ?? []
    const partials = partialsOf(limited)
    if (partials.length === 0) {
      return yield* block("no limited token reads one of workers and credentials and not the other")
    }
    yield* Effect.forEach(partials, limitedReads)
    const place = limited.findIndex((one) => may(one, "worker", "READ") && !may(one, "worker", "CREATE"))
    if (place !== -1) yield* limitedCreate(`limited.${place}`)
  })
)

type Kind = "admin" | "secondClient" | "personalToken"

/** What exists before either kind of token is used: both look at the same. */
const sharedCalls = Effect.gen(function* () {
  const owner = yield* makeWorker()
  const reads: ReadonlyArray<Call> = [
    { method: "GET", path: `/workers?externalId=${encodeURIComponent(owner.unique)}` },
    { method: "GET", path: `/credentials/${encodeURIComponent(owner.id)}` }
  ]
  if ((yield* groupOf("credential"))?.create === undefined) return reads
  const { id } = yield* makeCredential({ worker: owner.id })
  const credential = `/credentials/${encodeURIComponent(id)}`
  const linking: Call = {
    method: "POST",
    path: `${credential}/link`,
    json: yield* linkBody(worker(owner.id))
  }
  return [...reads, { method: "GET", path: credential }, linking]
})

/** One kind of token's answers: to the shared calls, and to creates and a delete of its own. */
const answersTo = Effect.fnUntraced(function* (as: Kind, calls: ReadonlyArray<Call>) {
  const { send, unique } = yield* Session
  const name = yield* unique
  const made = yield* create("worker", name, yield* bodyOf("worker", name), { as })
  const id = madeId(made)
  const how = (yield* groupOf("worker"))?.delete
  const gone: ReadonlyArray<Call> =
    how === undefined || id === undefined ? [] : [{ method: how.method, path: fillPath(how.path, { id }) }]
  const refused = yield* create("worker", yield* unique, {}, { as })
  return [made, refused, ...(yield* Effect.forEach([...calls, ...gone], (call) => send({ ...call, as })))]
})

/** One call, one status and one shape, whichever kind of token it was made with. */
const alike = (byOAuth: Exchange, byPersonal: Exchange | undefined): Expect.Met => {
  if (byPersonal === undefined) {
    return Expect.difference(byOAuth, "unexpected", "status", "made by neither or both", statusOf(byOAuth))
  }
  const status = Expect.status(byPersonal, statusOf(byOAuth))
  if (status.length > 0) return status
  const where = differenceInShape(byOAuth.answer?.json, byPersonal.answer?.json)
  return where === undefined
    ? []
    : Expect.difference(byPersonal, "wrong-type", `body.${where}`, "as with a token from OAuth", "another shape")
}

const bothKinds = walk(
  { name: "bearer/both-kinds", judges: ["AUT-10"], blast: "create", needs: ["personal token", "OAuth client"] },
  Effect.gen(function* () {
    const { profile } = yield* Session
    const client = oauthPrincipal(profile)
    if (client === undefined) return yield* block("the profile has no OAuth client")
    const calls = yield* sharedCalls
    const byOAuth = yield* answersTo(client, calls)
    const byPersonal = yield* answersTo("personalToken", calls)
    if (!byOAuth.some((exchange) => isIn(exchange, 2))) return yield* block("no call was carried out", ...byOAuth)
    const differences = byOAuth.flatMap((exchange, index) => alike(exchange, byPersonal[index]))
    yield* judge("AUT-10", [...byOAuth, ...byPersonal], differences)
  })
)

/** What its user may do is not told: a 403 is good enough, where an invented token is 401. */
const rotated = walk(
  { name: "bearer/rotated", judges: ["AUT-11"], blast: "read", needs: ["rotated token"] },
  Effect.gen(function* () {
    const { bearer } = yield* Session
    if ((yield* bearer("rotated.old")) === (yield* bearer("rotated.new"))) {
      return yield* block("rotated.old and rotated.new are the same token")
    }
    const invented = yield* refuseInvented()
    const valid = [yield* readWorkers("rotated.old"), yield* readWorkers("rotated.new")]
    const differences = valid.flatMap((exchange) => Expect.status(exchange, 200, 403))
    yield* judge("AUT-11", [invented, ...valid], differences)
  })
)

/** The other token of the same user lives on, whatever that user may do. */
const revoked = walk(
  { name: "bearer/revoked", judges: ["AUT-12"], blast: "read", needs: ["revoked personal token"] },
  Effect.gen(function* () {
    const { bearer } = yield* Session
    if ((yield* bearer("revokedToken.revoked")) === (yield* bearer("revokedToken.living"))) {
      return yield* block("revokedToken.revoked and revokedToken.living are the same token")
    }
    const good = yield* control(readWorkers())
    const refused = yield* readWorkers("revokedToken.revoked")
    const living = yield* readWorkers("revokedToken.living")
    yield* judgePair("AUT-12", { control: good, probe: refused, after: living }, [
      ...Expect.status(refused, 401),
      ...Expect.status(living, 200, 403)
    ])
  })
)

/** AUT: personal tokens, their privileges, their rotation and their end. */
export const personalTokenWalks: ReadonlyArray<Walk> = [personal, limitedTokens, bothKinds, rotated, revoked]
