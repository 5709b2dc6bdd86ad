import { Effect } from "effect"
import { listOf, readCall } from "../../calls/GuardedCalls.ts"
import { foundNothing, makeNone, readWorkers, refuseInvented, sharedWorkerShown } from "../../calls/Lookup.ts"
import { bodyOf } from "../../calls/Resources.ts"
import * as Expect from "../../judgement/Expect.ts"
import { block, control, judge, judgePair } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import type { PrincipalName } from "../../profile/Principals.ts"
import type { Limited } from "../../profile/Profile.ts"

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

/** The further tokens that must be valid. A 403 counts as accepted where the privileges of the user are unknown. */
const furtherTokens = [
  ["bearer/personal", "AUT-08", "personal token", ["personalToken"], [200]],
  ["bearer/enrolled", "AUT-15", "user with multifactor authentication", ["enrolledToken"], [200]], // a Super Admin's
  ["bearer/rotated", "AUT-11", "rotated token", ["rotated.old", "rotated.new"], [200, 403]],
  ["bearer/external", "AUT-14", "external identity provider", ["externalToken"], [200, 403]]
] as const

/** Each reads workers. Its further calls are judged where they are made. */
const further = furtherTokens.map(([name, rule, need, them, statuses]) =>
  walk({ name, judges: [rule], impact: "read", needs: [need] })(function* () {
    const { bearer } = yield* Session
    const tokens = yield* Effect.forEach(them, bearer)
    if (new Set(tokens).size < tokens.length) return yield* block(`${them.join(" and ")} are the same token`)
    const invented = yield* refuseInvented()
    const valid = yield* Effect.forEach(them, readWorkers)
    const differences = valid.flatMap((exchange) => Expect.status(exchange, ...statuses))
    yield* judge(rule, [invented, ...valid], differences)
  })
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

/** AUT: personal tokens, their privileges, second factor, rotation and revocation. */
export const personalTokenWalks: ReadonlyArray<Walk> = [...further, limitedTokens, revoked]
