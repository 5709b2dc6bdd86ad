import { Profile } from "@wcs/conformance/profile/Profile"
import { walks } from "@wcs/conformance/walks/Walks"
import { Console, Effect, Random, References, Schema } from "effect"
import * as Hub from "../Hub.ts"
import { ours } from "../Specimen.ts"
import * as Specimens from "../Specimens.ts"
import { alarmsIn } from "../stranger/measure/Measure.ts"
import { start } from "../stranger/Stranger.ts"
import { judgeBy, type Target } from "./Judging.ts"

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
const alarmsOf = Effect.fnUntraced(function* (what: string, target: Target, index: number) {
  const order = yield* Random.withSeed(Random.shuffle(walks), index + 1)
  const alarms = alarmsIn(yield* judgeBy({ ...target, profile: yield* varied(target.profile, index) }, order))
  return alarms.map((alarm) => `${what}, run ${index + 1}: ${alarm}`)
})

/**
 * Judges our deployment and the second server this many times, with other names, orders, concurrency and load. `from`
 * continues an earlier count. Prints every rule that is not judged or does not pass. Returns the exit code.
 */
export const repeated = Effect.fn("Repeated.repeated")(
  function* (times: number, from: number) {
    const specimens = yield* Specimens.make
    const indices = Array.from({ length: times }, (_, index) => from + index)
    const runs = indices.map((index) => [
      Effect.scoped(Effect.flatMap(specimens(ours, true), (target) => alarmsOf("ours", target, index))),
      Effect.scoped(Effect.flatMap(start(Hub.make()), (target) => alarmsOf("second server", target, index)))
    ])
    const all = runs.flat()
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
  },
  Effect.scoped,
  Effect.provideService(References.MinimumLogLevel, "Error")
)
