import { AccessStore } from "@wcs/domain/AccessStore"
import { Administration } from "@wcs/domain/Administration"
import { Digest } from "@wcs/domain/Digest"
import { Ids } from "@wcs/domain/Id"
import { InvalidArgument } from "@wcs/domain/InvalidArgument"
import type { Tenant } from "@wcs/domain/Tenant"
import { Clock, Context, Data, Effect, Option, Redacted, Semaphore } from "effect"
import { isUnclaimed, operator } from "./FirstRun.ts"

/** There is no set-up here: the token is another, it was used, it is too old, or somebody can call already. */
export class NoSetUp extends Data.TaggedError("NoSetUp") {}

/** How long the set-up URL is good for (decisions, section 7). */
export const lifetimeMillis = 30 * 60 * 1000
/** 62^43 is about 2^256. */
const tokenLength = 43

/** The way in for the first Super Admin where the environment named none (threat 33). */
export class SetUp extends Context.Service<
  SetUp,
  {
    /** The token of the set-up URL; none where somebody can call already. */
    readonly token: Option.Option<Redacted.Redacted>
    /** Whether the token would be taken now. */
    readonly check: (token: string) => Effect.Effect<void, NoSetUp>
    /** Makes the Super Admin and its personal token, and ends the set-up for good. Of two at once one does it. */
    readonly claim: (token: string, email: string) => Effect.Effect<Redacted.Redacted, NoSetUp | InvalidArgument>
  }
>()("@wcs/http-node/SetUp") {}

export const make = Effect.fnUntraced(function* (tenant: Tenant) {
  const administration = yield* Administration
  const digest = yield* Digest
  const ids = yield* Ids
  const store = yield* AccessStore
  const lock = yield* Semaphore.make(1)
  const unclaimed = Effect.provideService(isUnclaimed, AccessStore, store)

  const token = Redacted.make(yield* ids.secret(tokenLength))
  const hash = digest.sha256(Redacted.value(token))
  const endsAt = (yield* Clock.currentTimeMillis) + lifetimeMillis

  const check: SetUp["Service"]["check"] = Effect.fn("SetUp.check")(function* (given) {
    const isRight = digest.equals(digest.sha256(given), hash)
    const isInTime = (yield* Clock.currentTimeMillis) < endsAt
    // Asked each time: a token that an administrator made meanwhile ends the set-up too.
    if (!isRight || !isInTime || !(yield* unclaimed)) return yield* new NoSetUp()
  })

  const claim: SetUp["Service"]["claim"] = Effect.fn("SetUp.claim")(
    function* (given, email) {
      yield* check(given)
      const actor = yield* Effect.provideService(operator, Ids, ids)
      yield* administration.createUser(tenant.id, email, "Super Admin", actor)
      const { secret } = yield* administration.createToken(tenant.id, email, "set-up", null, actor)
      return secret
    },
    Effect.catchTags({
      EmailTaken: () => Effect.fail(new InvalidArgument({ field: "email", reason: "must be the email of nobody yet" })),
      NoSuch: Effect.die
    }),
    lock.withPermit
  )

  const isOffered = yield* unclaimed
  return SetUp.of({ token: isOffered ? Option.some(token) : Option.none(), check, claim })
})
