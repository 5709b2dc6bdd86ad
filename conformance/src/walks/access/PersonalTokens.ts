import { Effect } from "effect"
import { listOf, readCall } from "../../calls/GuardedCalls.ts"
import { foundNothing, makeNone, opened, readWorkers, refuseInvented, sharedWorkerShown } from "../../calls/Lookup.ts"
import { linkBody, worker } from "../../calls/OwnershipCalls.ts"
import { bodyOf, create, groupOf, madeId, sharedCredential, sharedOwner } from "../../calls/Resources.ts"
import * as Expect from "../../judgement/Expect.ts"
import { block, control, judge, judgePair } from "../../judgement/Judge.ts"
import { type Call, Session } from "../../judgement/Session.ts"
import { differenceInShape } from "../../judgement/Shape.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import type { PrincipalName } from "../../profile/Principals.ts"
import type { Limited } from "../../profile/Profile.ts"
import { fillPath } from "../../profile/Template.ts"
import { type Exchange, isIn, statusOf } from "../../wire/Exchange.ts"

const personal = walk({ name: "bearer/personal", judges: ["AUT-08"], impact: "read", needs: ["personal token"] })(
  function* () {
    const { send } = yield* Session
    const workers = yield* readWorkers("personalToken")
    const credentials = yield* send({
      method: "GET",
      path: "/credentials?ownerExternalId=conf-nobody",
      as: "personalToken"
    })
    yield* judge("AUT-08", [workers, credentials], [workers, credentials].flatMap(opened))
  }
)

const may = ({ privileges }: Limited, entity: string, operation: "READ" | "CREATE"): boolean =>
  privileges[entity]?.includes(operation) === true

/** An entity type that a limited token reads, and one that it must not read. */
interface Partial {
  readonly as: PrincipalName
  readonly reads: Readable
  readonly lacks: Readable
}

const readable = ["worker", "credential"] as const
type Readable = (typeof readable)[number]

/** One limited token for each direction, as far as the profile has them. */
const partialsOf = (limited: ReadonlyArray<Limited>): ReadonlyArray<Partial> =>
  readable.flatMap((reads) => {
    const lacks = reads === "worker" ? "credential" : "worker"
    const nth = limited.findIndex((one) => may(one, reads, "READ") && !may(one, lacks, "READ"))
    return nth === -1 ? [] : [{ as: `limited.${nth}` as const, reads, lacks }]
  })

const limitedReads = Effect.fnUntraced(function* ({ as, lacks, reads }: Partial) {
  const { send } = yield* Session
  const { call } = yield* readCall(lacks)
  const good = yield* control(listOf(lacks))
  const allowed = yield* send({ ...(yield* readCall(reads)).call, as })
  const refused = yield* send({ ...call, as })
  yield* judgePair("AUT-09", { control: good, probe: refused, after: allowed }, [
    ...Expect.status(allowed, 200),
    ...Expect.status(refused, 403)
  ])
})

/** A principal with only READ cannot create. */
const limitedCreate = Effect.fnUntraced(function* (as: PrincipalName) {
  const { unique } = yield* Session
  const { own } = yield* sharedWorkerShown
  const good = yield* control(Effect.succeed(own.exchange))
  const name = yield* unique
  const { after, probe } = yield* makeNone(name, { as, json: yield* bodyOf("worker", name) })
  yield* judgePair("AUT-09", { control: good, probe, after }, [...Expect.status(probe, 403), ...foundNothing(after)])
})

const limitedTokens = walk({ name: "bearer/limited", judges: ["AUT-09"], impact: "create", needs: ["limited tokens"] })(
  function* () {
    const { profile } = yield* Session
    const limited = profile.principals.limited ?? []
    const partials = partialsOf(limited)
    if (partials.length === 0) {
      return yield* block("no limited token reads one of workers and credentials and not the other")
    }
    yield* Effect.forEach(partials, limitedReads)
    const nth = limited.findIndex((one) => may(one, "worker", "READ") && !may(one, "worker", "CREATE"))
    if (nth !== -1) yield* limitedCreate(`limited.${nth}`)
  }
)

type Kind = "admin" | "secondClient" | "personalToken" | "enrolledToken"

/** Resources created before either token is used, so that both read the same. */
const sharedCalls = Effect.gen(function* () {
  const hasCredentials = (yield* groupOf("credential"))?.create !== undefined
  const credential = hasCredentials ? yield* sharedCredential : undefined
  const owner = credential?.owner ?? (yield* sharedOwner("worker"))
  const reads: ReadonlyArray<Call> = [
    { method: "GET", path: `/workers?externalId=${encodeURIComponent(owner.unique)}` },
    { method: "GET", path: `/credentials/${encodeURIComponent(owner.id)}` }
  ]
  if (credential === undefined) return reads
  const path = `/credentials/${encodeURIComponent(credential.id)}`
  const linking: Call = { method: "POST", path: `${path}/link`, json: yield* linkBody(worker(owner.id)) }
  return [...reads, { method: "GET", path }, linking]
})

/** The answers to the shared calls, and to creates and a delete that only this token makes. */
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

/** Two tokens get the same status and shape for the same call. `known` names the first token. */
const alike = (byKnown: Exchange, byOther: Exchange | undefined, known: string): Expect.Met => {
  if (byOther === undefined) {
    const expected = "a call made with both tokens or with neither"
    return Expect.difference(byKnown, "unexpected", "status", expected, statusOf(byKnown))
  }
  const status = Expect.status(byOther, statusOf(byKnown))
  if (status.length > 0) return status
  const where = differenceInShape(byKnown.answer?.json, byOther.answer?.json)
  return where === undefined
    ? []
    : Expect.difference(byOther, "wrong-type", `body.${where}`, `as with ${known}`, "another shape")
}

/** Makes the same calls with two tokens and compares the answers. */
const judgeAlike = Effect.fnUntraced(function* (
  rule: "AUT-10" | "AUT-15",
  by: { readonly known: Kind; readonly other: Kind },
  words: string
) {
  const calls = yield* sharedCalls
  const byKnown = yield* answersTo(by.known, calls)
  const byOther = yield* answersTo(by.other, calls)
  if (!byKnown.some((exchange) => isIn(exchange, 2))) return yield* block("no call was carried out", ...byKnown)
  const differences = byKnown.flatMap((exchange, index) => alike(exchange, byOther[index], words))
  yield* judge(rule, [...byKnown, ...byOther], differences)
})

/** Token kinds may differ (AUT-10), so the token is compared with one of its own kind, if there is one. */
const enrolled = walk({
  name: "bearer/enrolled",
  judges: ["AUT-15"],
  impact: "create",
  needs: ["user with multifactor authentication"]
})(function* () {
  const { bearer, profile } = yield* Session
  const known = profile.principals.personalToken === undefined ? "admin" : "personalToken"
  if ((yield* bearer(known)) === (yield* bearer("enrolledToken"))) {
    return yield* block(`${known} and enrolledToken are the same token`)
  }
  yield* judgeAlike("AUT-15", { known, other: "enrolledToken" }, "a token of a user without a second factor")
})

/** The user's privileges are unknown, so 403 counts as accepted; an invented token gets 401. */
const rotated = walk({ name: "bearer/rotated", judges: ["AUT-11"], impact: "read", needs: ["rotated token"] })(
  function* () {
    const { bearer } = yield* Session
    if ((yield* bearer("rotated.old")) === (yield* bearer("rotated.new"))) {
      return yield* block("rotated.old and rotated.new are the same token")
    }
    const invented = yield* refuseInvented()
    const valid = [yield* readWorkers("rotated.old"), yield* readWorkers("rotated.new")]
    const differences = valid.flatMap((exchange) => Expect.status(exchange, 200, 403))
    yield* judge("AUT-11", [invented, ...valid], differences)
  }
)

/** A token that must outlive the revocation: of the same user if the profile has one, else any other. */
const survivor = Effect.map(Session, ({ profile: { principals } }): PrincipalName => {
  if (principals.revokedToken?.living !== undefined) return "revokedToken.living"
  return principals.personalToken === undefined ? "admin" : "personalToken"
})

/** The other token stays valid, with any privileges. */
const revoked = walk({ name: "bearer/revoked", judges: ["AUT-12"], impact: "read", needs: ["revoked personal token"] })(
  function* () {
    const { bearer } = yield* Session
    const other = yield* survivor
    if ((yield* bearer("revokedToken.revoked")) === (yield* bearer(other))) {
      return yield* block(`revokedToken.revoked and ${other} are the same token`)
    }
    const good = yield* control(readWorkers())
    const refused = yield* readWorkers("revokedToken.revoked")
    const living = yield* readWorkers(other)
    yield* judgePair("AUT-12", { control: good, probe: refused, after: living }, [
      ...Expect.status(refused, 401),
      ...Expect.status(living, 200, 403)
    ])
  }
)

/** A token of the deployment's external provider. Its privileges are unknown, so 403 counts as accepted. */
const external = walk({
  name: "bearer/external",
  judges: ["AUT-14"],
  impact: "read",
  needs: ["external identity provider"]
})(function* () {
  const invented = yield* refuseInvented()
  const accepted = yield* readWorkers("externalToken")
  yield* judge("AUT-14", [invented, accepted], Expect.status(accepted, 200, 403))
})

/** AUT: personal tokens, their privileges, second factor, rotation and revocation. */
export const personalTokenWalks: ReadonlyArray<Walk> = [personal, limitedTokens, enrolled, rotated, revoked, external]
