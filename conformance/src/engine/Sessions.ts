import { Effect, Option, Schema, Scope } from "effect"
import { nameOf } from "../calls/Names.ts"
import { listedBy, settled } from "../calls/Settling.ts"
import type { Evidence } from "../evidence/Evidence.ts"
import { Journal } from "../evidence/Journal.ts"
import { Blocked } from "../judgement/Blocked.ts"
import type { Finding } from "../judgement/Finding.ts"
import type { Address, Receiving, Refuses } from "../judgement/Receiving.ts"
import { type Call, type CreatedResource, Session } from "../judgement/Session.ts"
import { isExistingOwner } from "../profile/ExistingOwners.ts"
import type { Profile } from "../profile/Profile.ts"
import { originOf, tokenPath } from "../profile/Roots.ts"
import type { Json } from "../text/Json.ts"
import { callersIdOf } from "../wire/CallersId.ts"
import { statusOf } from "../wire/Exchange.ts"
import type { Handles } from "../wire/Handles.ts"
import type { BearerOf } from "./Bearers.ts"
import { type Wait, waitHoldingPermit } from "./Concurrency.ts"
import { ready, type Send } from "./Sending.ts"
import { isMadeAgain, turning } from "./Turns.ts"

/** The state that the walks of a run share. */
export interface Shared {
  readonly run: string
  readonly profile: Profile
  readonly handles: Handles
  /** Whether a rule is selected. */
  readonly isAsked: (rule: string) => boolean
  readonly secondsToWait: number
  /** Waits for a number of seconds. */
  readonly sleep: (seconds: number) => Effect.Effect<void>
  /**
   * Lets another walk run while this one waits; default: waits only. Shared steps do not use it, because walks that run
   * may wait for their result.
   */
  readonly wait?: Wait
  readonly send: Send
  readonly receiving: Receiving
  readonly bearer: BearerOf
  readonly find: (finding: Finding) => Effect.Effect<void>
  /** Runs steps once for all walks of the run. */
  readonly share: Session["Service"]["share"]
  /** Whether the shared steps with a name have changed something on the deployment. */
  readonly isChanging: (share: string) => boolean
  /** Returns a number for a name of the walk, unique in the run. */
  readonly nextName: (walk: string) => Effect.Effect<number>
  /** Records input of the walks that is not in an exchange. */
  readonly note: (evidence: Evidence) => Effect.Effect<void>
  /** The recorded input, if a run is judged again. */
  readonly recalled?: Recalled
}

/** The recorded input of walks that is not in an exchange. */
export interface Recalled {
  /** Why a call was not sent. */
  readonly unsent: (walk: string, step: number) => Blocked | undefined
  /** The next settled value with that name. */
  readonly settled: (walk: string, what: string) => Json | undefined
  /** An address of a walk. */
  readonly address: (walk: string, step: number) => Effect.Effect<Address, Blocked>
  /** Ends a walk that was interrupted before it received a further result of shared steps. */
  readonly beforeShared: (walk: string, received: number) => Effect.Effect<void>
  /** Ends a walk that was interrupted before it received a token. */
  readonly token: <A>(walk: string, granted: Effect.Effect<A, Blocked>) => Effect.Effect<A, Blocked>
  /** The URL without deliveries of a walk. */
  readonly closedUrl: (walk: string) => string | undefined
}

/** Records what a walk sees of an address. */
const noting = (
  address: Address,
  about: { readonly walk: string; readonly step: number },
  { wait = waitHoldingPermit, note }: Pick<Shared, "wait" | "note">
): Address => {
  const came = (some: ReadonlyArray<unknown>) => note({ of: "came", ...about, count: some.length })
  return {
    url: address.url,
    came: Effect.tap(address.came, came),
    until: (...wanted) => Effect.tap(wait(address.until(...wanted)), came),
    isReached: Effect.tap(address.isReached, (isReached) => note({ of: "reached", ...about, isReached }))
  }
}

/** Returns the `Authorization` header of a call, or undefined. */
const authorizationOf = Effect.fnUntraced(function* (bearer: BearerOf, as: Call["as"]) {
  if (as === null) return undefined
  if (typeof as === "object") return as.authorization
  const principal = as ?? "admin"
  const token = yield* bearer(principal)
  if (token === undefined) {
    return yield* new Blocked({ reason: `the profile has no ${principal}`, exchanges: [] })
  }
  return `Bearer ${token}`
})

/** The existing owner of the profile that a call would change or delete; undefined for every other call. */
const changedOwner = (profile: Profile, { method, path }: Call): string | undefined =>
  ["GET", "HEAD"].includes(method) ? undefined : path.split(/[/?]/).find((part) => isExistingOwner(profile, part))

/** Whether a call may change something. */
const isChange = ({ method, path }: Call): boolean =>
  !["GET", "HEAD", "OPTIONS"].includes(method) && !path.startsWith(tokenPath)

/** Makes reads of lists wait until they show what the walk knows of, if lists lag. */
const settling = (profile: Profile) => {
  let [changes, shown] = [0, 0]
  return {
    changes: () => changes,
    noteChange: () => {
      changes += 1
    },
    before: (call: Call, session: Session["Service"]) =>
      Effect.suspend(() => {
        if (changes === shown || listedBy(profile, call) === undefined) return Effect.void
        const waiting = Effect.provideService(settled(call), Session, session)
        return Effect.map(waiting, () => {
          shown = changes
        })
      })
  }
}

/** Runs shared steps for a walk, and counts the results that it receives. */
const receivedBy = (walk: string, shared: Shared, noteChange: () => void) => {
  let received = 0
  const share: Session["Service"]["share"] = (name, steps) =>
    Effect.suspend(() => shared.recalled?.beforeShared(walk, received) ?? Effect.void).pipe(
      Effect.andThen(Effect.result(shared.share(name, steps))),
      Effect.tap(() =>
        Effect.sync(() => {
          received += 1
          if (shared.isChanging(name)) noteChange()
        })
      ),
      Effect.flatMap(Effect.fromResult)
    )
  return { share, count: () => received }
}

/** Calls of the newer surface carry ids of the caller in turn, so that the rules about them are judged everywhere. */
const callersId = (run: string, walk: string, call: Call, at: number): Readonly<Record<string, string>> => {
  const isSilent = call.surface !== undefined || call.path.startsWith(tokenPath) || call.isUnknownPath === true
  const id = isSilent ? undefined : callersIdOf(run, walk, at)
  return id === undefined ? {} : { "X-Request-Id": id }
}

/** Records creates before their calls. A call that is not sent makes nothing: `ofNextCall` records that. */
const intending = (journal: Journal["Service"]) => {
  let pending: (Pick<CreatedResource, "type" | "to"> & { readonly unique: string }) | undefined
  const intend: Session["Service"]["intend"] = (type, unique, to) =>
    Effect.suspend(() => {
      pending = { type, unique, ...(to && { to }) }
      return journal.write({ entry: "intended", ...pending })
    })
  const ofNextCall = () => {
    const about = pending
    pending = undefined
    return Effect.suspend(() => (about === undefined ? Effect.void : journal.write({ entry: "refused", ...about })))
  }
  return { intend, ofNextCall }
}

/** Sends the calls of a walk, numbered by its steps. */
const sending = (walk: string, shared: Shared, bearer: BearerOf, noteChange: () => void) => {
  let step = 0
  const turnOf = turning(walk, shared.profile)
  /** The call by the token whose turn it is, with its spelling of the prefix, then as usual, then by the admin. */
  const inTurn = (call: Call): Effect.Effect<ReadonlyArray<Call>> => {
    const turn = turnOf(call)
    if (turn === undefined) return Effect.succeed([call])
    const { as, prefix } = turn
    const plain = as === "admin" ? [] : [{ ...call, as }]
    return Effect.match(bearer(as), {
      onFailure: () => [call],
      onSuccess: (token = "") =>
        prefix === "Bearer"
          ? [...plain, call]
          : [{ ...call, as, headers: { ...call.headers, Authorization: `${prefix} ${token}` } }, ...plain, call]
    })
  }
  const sendAs = Effect.fnUntraced(function* (call: Call, isOwed: boolean) {
    step += 1
    const here = step
    const unsent = shared.recalled?.unsent(walk, here)
    if (unsent !== undefined) return yield* unsent
    const changed = changedOwner(shared.profile, call)
    if (changed !== undefined) {
      const reason = `the call would change ${changed}, which the profile names as an existing owner`
      return yield* new Blocked({ reason, exchanges: [] })
    }
    const origin = originOf(shared.profile, call)
    if (origin === undefined) {
      return yield* new Blocked({
        reason: `the profile has no address for ${call.to ?? "the tenant"}`,
        exchanges: []
      })
    }
    const sendBy = Effect.fnUntraced(function* (one: Call) {
      const authorization = yield* authorizationOf(bearer, one.as)
      const told = { ...one, headers: { ...callersId(shared.run, walk, one, here), ...one.headers } }
      return yield* shared.send(walk, here, { ...ready(told, origin, authorization), isOwed })
    })
    const [first = call, ...others] = yield* inTurn(call)
    let exchange = yield* sendBy(first)
    for (const other of others) {
      if (!isMadeAgain(call, exchange)) break
      // only a 401 can be about the spelling of the prefix
      if (other !== call && statusOf(exchange) !== 401) continue
      exchange = yield* sendBy(other)
    }
    if (isChange(call)) noteChange()
    return exchange
  })
  return { sendAs, nextStep: () => step + 1 }
}

/** Makes the session of one walk and the list of its resources. Its addresses stay open until the scope closes. */
export const make = (walk: string, shared: Shared) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const { wait = waitHoldingPermit } = shared
    const made: Array<CreatedResource> = []
    const scope = yield* Effect.scope
    let addresses = 0
    const lists = settling(shared.profile)
    const results = receivedBy(walk, shared, lists.noteChange)
    const intentions = intending(journal)
    const bearer: BearerOf = (principal) => {
      const granted = shared.bearer(principal)
      return shared.recalled?.token(walk, granted) ?? granted
    }
    const { nextStep, sendAs } = sending(walk, shared, bearer, lists.noteChange)
    const counts = new Map<string, number>()

    const sendNoted = (call: Call) => {
      const here = nextStep()
      const unmade = intentions.ofNextCall()
      return Effect.tapError(sendAs(call, false), ({ exchanges, lacks, reason }) =>
        Effect.andThen(
          shared.note({ of: "unsent", walk, step: here, reason, exchanges, ...(lacks && { lacks }) }),
          exchanges.length > 0 ? Effect.void : unmade
        )
      )
    }

    const recordValue = Effect.fnUntraced(function* <A>(
      what: string,
      form: Schema.Codec<A, Json>,
      value: (wire: Handles) => A
    ) {
      const recalled = Schema.decodeUnknownOption(form)(shared.recalled?.settled(walk, what))
      if (Option.isSome(recalled)) return recalled.value
      const settled = value(shared.handles)
      yield* shared.note({ of: "settled", walk, what, value: Schema.encodeSync(form)(settled) })
      return settled
    })

    const listen = Effect.fnUntraced(function* (at: number, refuses: Refuses) {
      const about = { walk, step: at }
      const address = yield* Effect.provideService(shared.receiving.listen(walk, at, refuses), Scope.Scope, scope).pipe(
        Effect.tapError(({ reason }) => shared.note({ of: "deaf", ...about, reason }))
      )
      yield* shared.note({ of: "address", ...about, url: address.url })
      return noting(address, about, shared)
    })

    const closedUrl = Effect.fnUntraced(function* (unique: string) {
      const url = shared.recalled?.closedUrl(walk) ?? (yield* shared.receiving.closed(unique))
      yield* shared.note({ of: "closed", walk, url })
      return url
    })

    const session: Session["Service"] = Session.of({
      walk,
      profile: shared.profile,
      isAsked: shared.isAsked,
      send: (call) => Effect.andThen(lists.before(call, session), () => sendNoted(call)),
      bearer,
      reveal: shared.handles.reveal,
      shapeOf: shared.handles.shapeOf,
      derive: (what, secret, derived) =>
        recordValue(`${what} of ${secret}`, Schema.Array(Schema.String), ({ derive, open }) =>
          derived(open(secret)).map((text) => derive(what, secret, text))
        ),
      unique: Effect.map(shared.nextName(walk), (number) => nameOf(shared.run, number)),
      share: results.share,
      count: (what) =>
        Effect.sync(() => {
          const count = (counts.get(what) ?? 0) + 1
          counts.set(what, count)
          return count
        }),
      intend: intentions.intend,
      made: (one, unique) => {
        made.push(one)
        return journal.write({ entry: "made", unique, ...one })
      },
      refused: (type, unique, to) => journal.write({ entry: "refused", type, unique, ...(to && { to }) }),
      listen: (refuses = () => false) =>
        Effect.suspend(() => {
          addresses += 1
          return shared.recalled?.address(walk, addresses) ?? listen(addresses, refuses)
        }),
      closedUrl,
      find: (finding) => shared.find({ ...finding, walk }),
      wait: (seconds) =>
        seconds > shared.secondsToWait ? Effect.succeed(false) : Effect.as(wait(shared.sleep(seconds)), true),
      recordValue
    })

    return {
      session,
      made: (): ReadonlyArray<CreatedResource> => made,
      /** How many results of shared steps the walk has received. */
      received: results.count,
      /** How many changes of the deployment the walk knows of. */
      changes: lists.changes,
      /** Sends calls of the clean-up, even if the run has used up its requests. */
      sendOwed: (call: Call) => sendAs(call, true)
    }
  })
