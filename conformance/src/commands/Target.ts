import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { impacts } from "../profile/Impact.ts"
import { maxSeed, type Profile } from "../profile/Profile.ts"
import { type Loaded, load, readCertificates } from "../profile/ProfileFile.ts"
import { isOrigin } from "../profile/Values.ts"
import { profileOf } from "../profile/ZeroConfiguration.ts"
import { Refused } from "./Refused.ts"

export const caFlag = Flag.String("ca").pipe(
  Flag.withDescription("PEM file of trusted issuers, in addition to the system's"),
  Flag.optional
)

/** The flags that name a deployment: a profile, or a tenant and one OAuth client. */
export const targetFlags = {
  profile: Flag.String("profile").pipe(
    Flag.withAlias("p"),
    Flag.withDescription("The deployment's profile, JSON or YAML"),
    Flag.optional
  ),
  tenant: Flag.String("tenant").pipe(
    Flag.withDescription("Without a profile: the tenant's base URL, such as https://t1.example"),
    Flag.optional
  ),
  clientId: Flag.String("client-id").pipe(
    Flag.withDescription("Without a profile: an OAuth client's id; its secret is read from CONF_CLIENT_SECRET"),
    Flag.optional
  ),
  ca: caFlag,
  ceiling: Flag.Literals("ceiling", impacts).pipe(
    Flag.withDescription("The most that a run may change; overrides the profile"),
    Flag.optional
  ),
  concurrency: Flag.Int("concurrency").pipe(Flag.withDescription("Number of concurrent walks"), Flag.optional),
  budget: Flag.Int("budget").pipe(
    Flag.withDescription("Run only the walks that judge most with this many requests"),
    Flag.optional
  ),
  seed: Flag.Int("seed").pipe(
    Flag.withDescription(`Seed of the random choices, 0 to ${maxSeed}: the same seed makes the same calls`),
    Flag.optional
  )
}

/** With fewer requests, no walk can run. */
const leastBudget = 20

interface Given {
  readonly profile: Option.Option<string>
  readonly tenant: Option.Option<string>
  readonly clientId: Option.Option<string>
  readonly ca: Option.Option<string>
  readonly ceiling: Option.Option<(typeof impacts)[number]>
  readonly concurrency: Option.Option<number>
  readonly budget: Option.Option<number>
  readonly seed: Option.Option<number>
}

/** Returns the tenant's base URL from the command line. Fails with a suggestion if it is not an origin. */
export const tenantUrl = Effect.fnUntraced(function* (given: string, name = "--tenant") {
  if (isOrigin(given)) return given.replace(/\/$/, "")
  const meant = URL.canParse(given) && /^https?:/.test(given) ? given : `https://${given}`
  const origin = URL.canParse(meant) ? new URL(meant).origin : "null"
  const instead = isOrigin(origin) ? `did you mean ${origin}?` : "such as https://t1.example"
  return yield* new Refused({ message: `${name} takes a URL of scheme, host and port only; ${instead}` })
})

const refuse = (message: string) => Effect.fail(new Refused({ message }))

const named = Effect.fnUntraced(function* ({ clientId, profile, tenant }: Given) {
  if (Option.isSome(profile)) {
    if (Option.isSome(tenant) || Option.isSome(clientId)) {
      return yield* refuse("--profile already names the deployment: remove --tenant and --client-id")
    }
    return yield* Effect.mapError(load(profile.value), ({ message }) => new Refused({ message }))
  }
  if (Option.isNone(tenant) || Option.isNone(clientId)) {
    return yield* refuse("no deployment given: use -p FILE (init writes one), or --tenant URL and --client-id ID")
  }
  return { profile: profileOf(yield* tenantUrl(tenant.value), clientId.value), ca: undefined } satisfies Loaded
})

/** Reads the certificates of a file from the command line. */
export const certificates = (file: string) =>
  Effect.mapError(readCertificates(file, "--ca"), ({ message }) => new Refused({ message }))

/** Returns the profile and the certificates that the flags name. */
export const targetOf = Effect.fnUntraced(function* (given: Given) {
  const { ca, profile } = yield* named(given)
  if (Option.isSome(given.concurrency) && (given.concurrency.value < 1 || given.concurrency.value > 64)) {
    return yield* refuse("--concurrency takes 1 to 64")
  }
  if (Option.isSome(given.budget) && given.budget.value < leastBudget) {
    return yield* refuse(`--budget takes ${leastBudget} or more requests`)
  }
  if (Option.isSome(given.seed) && (given.seed.value < 0 || given.seed.value > maxSeed)) {
    return yield* refuse(`--seed takes 0 to ${maxSeed}`)
  }
  const run: Profile["run"] = {
    ...profile.run,
    ...Option.match(given.ceiling, { onNone: () => ({}), onSome: (ceiling) => ({ ceiling }) }),
    ...Option.match(given.concurrency, { onNone: () => ({}), onSome: (concurrency) => ({ concurrency }) }),
    ...Option.match(given.budget, { onNone: () => ({}), onSome: (budget) => ({ budget }) }),
    ...Option.match(given.seed, { onNone: () => ({}), onSome: (seed) => ({ seed }) })
  }
  const trusted = Option.isSome(given.ca) ? yield* certificates(given.ca.value) : ca
  return { profile: { ...profile, run }, ca: trusted } satisfies Loaded
})
