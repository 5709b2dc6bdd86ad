import { Profile } from "@wcs/conformance/profile/Profile"
import { walks } from "@wcs/conformance/walks/Walks"
import { Console, Effect, Random, Schema } from "effect"
import * as Hub from "../target/Hub.ts"
import { start } from "../target/Start.ts"
import { alarmsIn, judgeBy, type Target } from "../target/Target.ts"

/** How the runs differ besides their order, which the seed gives. */
const concurrencies = [8, 1, 64, 4, 16]
const suffixes = ["", "7", "0", " 13"]

/** How many runs share the processor, in turn. */
const loads = [1, 3, 2]

const endNames = (value: unknown, suffix: string): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll("{{name}}", `{{name}}${suffix}`))

/** A profile with another seed and concurrency, and with digits behind its names. */
const varied = Effect.fnUntraced(function* (profile: Profile, index: number) {
  const suffix = suffixes[index % suffixes.length] ?? ""
  const { body, ...verifiable } = profile.verifiableCredential ?? { body: {} }
  const told = JSON.parse(JSON.stringify(body).replaceAll("{{unique}}", `{{unique}}${suffix}`))
  const run = { ...profile.run, seed: index + 1, concurrency: concurrencies[index % concurrencies.length] }
  const changed = { ...profile, groups: endNames(profile.groups, suffix), run }
  return yield* Effect.orDie(
    Schema.decodeUnknownEffect(Profile)({
      ...changed,
      ...(profile.verifiableCredential && { verifiableCredential: { ...verifiable, body: told } })
    })
  )
})

/** The alarms of one whole run, with its walks in another order. */
const alarmsOf = Effect.fnUntraced(function* (target: Target, index: number) {
  const order = yield* Random.withSeed(Random.shuffle(walks), index + 1)
  const alarms = alarmsIn(yield* judgeBy({ ...target, profile: yield* varied(target.profile, index) }, order))
  return alarms.map((alarm) => `run ${index + 1}: ${alarm}`)
})

/**
 * Judges the server without a fault this many times, with other names, orders, concurrency and load. `from` continues
 * an earlier count. Prints every rule that is not judged or does not pass. Returns the exit code.
 */
export const repeated = Effect.fn("Repeated.repeated")(function* (times: number, from: number) {
  const all = Array.from({ length: times }, (_, nth) =>
    Effect.scoped(Effect.flatMap(start(Hub.make()), (target) => alarmsOf(target, from + nth)))
  )
  const alarms: Array<string> = []
  for (let done = 0; done < all.length; ) {
    const concurrency = loads[done % loads.length] ?? 1
    const found = yield* Effect.all(all.slice(done, done + concurrency), { concurrency })
    for (const alarm of found.flat()) yield* Console.error(alarm)
    alarms.push(...found.flat())
    done += concurrency
  }
  yield* Console.log(`${all.length} runs, ${alarms.length} alarms`)
  return alarms.length === 0 ? 0 : 1
})
