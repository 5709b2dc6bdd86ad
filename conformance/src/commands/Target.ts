import { existsSync } from "node:fs"
import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { impacts } from "../profile/Impact.ts"
import { maxSeed, type Profile } from "../profile/Profile.ts"
import { type Loaded, load, readCertificates } from "../profile/ProfileFile.ts"
import { calledAs } from "./CalledAs.ts"
import { Refused } from "./Refused.ts"

/** The profile that commands read and `init` writes if `-p` names none. */
export const usualProfile = "conformance.yaml"

export const caFlag = Flag.String("ca").pipe(
  Flag.withDescription("PEM file of trusted issuers, in addition to the profile's and the system's"),
  Flag.optional
)

/** The flags that name a deployment by its profile, and override the profile. */
export const targetFlags = {
  profile: Flag.String("profile").pipe(
    Flag.withAlias("p"),
    Flag.withDescription("The deployment's profile, JSON or YAML"),
    Flag.withDefault(usualProfile)
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
  resolve: Flag.String("resolve").pipe(
    Flag.withDescription("Address of a host that DNS does not know: HOST=ADDRESS; may be repeated"),
    Flag.atLeast(0)
  ),
  requests: Flag.Int("requests").pipe(Flag.withDescription("The most requests of the run"), Flag.optional),
  requestsPerSecond: Flag.Finite("requests-per-second").pipe(
    Flag.withDescription("The most requests in a second, for a limiter in front of the deployment"),
    Flag.optional
  ),
  seconds: Flag.Finite("seconds").pipe(Flag.withDescription("The longest time of the run"), Flag.optional),
  secondsPerCall: Flag.Finite("seconds-per-call").pipe(
    Flag.withDescription("The longest time from a request to its whole answer"),
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
  readonly profile: string
  readonly ca: Option.Option<string>
  readonly ceiling: Option.Option<(typeof impacts)[number]>
  readonly concurrency: Option.Option<number>
  readonly budget: Option.Option<number>
  readonly resolve: ReadonlyArray<string>
  readonly requests: Option.Option<number>
  readonly requestsPerSecond: Option.Option<number>
  readonly seconds: Option.Option<number>
  readonly secondsPerCall: Option.Option<number>
  readonly seed: Option.Option<number>
}

/** The flags of limits: their names, their names in the profile, and the values that it allows. */
const limitFlags = [
  ["concurrency", "concurrency", "concurrency", 1, 64],
  ["requests", "requests", "requests", 1, 1_000_000],
  ["requestsPerSecond", "requests-per-second", "requestsPerSecond", 0.1, 10_000],
  ["seconds", "seconds", "secondsInAll", 1, 86_400],
  ["secondsPerCall", "seconds-per-call", "secondsPerCall", 0.1, 600],
  ["seed", "seed", "seed", 0, maxSeed]
] as const

/** Returns the limits that the flags give. */
const limitsIn = Effect.fnUntraced(function* (given: Given) {
  const limits: Record<string, number> = {}
  for (const [flag, name, key, least, most] of limitFlags) {
    const value = Option.getOrUndefined(given[flag])
    if (value === undefined) continue
    if (value < least || value > most) return yield* refuse(`--${name} takes ${least} to ${most}`)
    limits[key] = value
  }
  return limits
})

/** Returns the addresses of hosts that the flags give. */
const addressesIn = Effect.fnUntraced(function* ({ resolve }: Given) {
  const pairs = resolve.map((one) => /^([^=\s]+)=([0-9a-fA-F:.]+)$/.exec(one))
  if (pairs.includes(null)) return yield* refuse("--resolve takes HOST=ADDRESS, such as t1.staging.example=10.0.0.7")
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? "", pair?.[2] ?? ""]))
})

const refuse = (message: string) => Effect.fail(new Refused({ message }))

const loaded = Effect.fnUntraced(function* (file: string) {
  if (!existsSync(file)) {
    const init = `${calledAs(process.env)} init URL`
    return yield* refuse(`the profile ${file} does not exist: ${init} writes one, and -p names another`)
  }
  return yield* Effect.mapError(load(file), ({ message }) => new Refused({ message }))
})

/** Reads the certificates of a file from the command line. */
export const certificates = (file: string) =>
  Effect.mapError(readCertificates(file, "--ca"), ({ message }) => new Refused({ message }))

/** Returns the profile that the flags name, with what they override, and its certificates. */
export const targetOf = Effect.fnUntraced(function* (given: Given) {
  const { ca, clientCertificate, profile } = yield* loaded(given.profile)
  const limits = yield* limitsIn(given)
  const resolve = { ...profile.resolve, ...(yield* addressesIn(given)) }
  if (Option.isSome(given.budget) && given.budget.value < leastBudget) {
    return yield* refuse(`--budget takes ${leastBudget} or more requests`)
  }
  const run: Profile["run"] = {
    ...profile.run,
    ...Option.match(given.ceiling, { onNone: () => ({}), onSome: (ceiling) => ({ ceiling }) }),
    ...Option.match(given.budget, { onNone: () => ({}), onSome: (budget) => ({ budget }) }),
    ...limits
  }
  const further = Option.isSome(given.ca) ? yield* certificates(given.ca.value) : undefined
  const trusted = [ca, further].flatMap((pem) => pem ?? []).join("\n")
  return {
    profile: { ...profile, run, ...(Object.keys(resolve).length === 0 ? {} : { resolve }) },
    ca: trusted === "" ? undefined : trusted,
    clientCertificate
  } satisfies Loaded
})
