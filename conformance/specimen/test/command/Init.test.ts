import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { run } from "@wcs/conformance/Cli"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { load, read as readProfile } from "@wcs/conformance/profile/ProfileFile"
import { namesOf } from "@wcs/conformance/profile/Secrets"
import type { Report } from "@wcs/conformance/report/Report"
import { at, parse } from "@wcs/conformance/text/Json"
import { type Cause, Console, Effect, Layer, Option, Queue, Result, Terminal } from "effect"
import { served } from "./Served.ts"

type Typed = string | { readonly key: string; readonly ctrl?: true }

const keys = (typed: Typed): ReadonlyArray<Terminal.UserInput> =>
  typeof typed === "string" ? [...typed].map((char) => input(char, char)) : [input(undefined, typed.key, typed.ctrl)]

const input = (char: string | undefined, name: string, ctrl = false): Terminal.UserInput => ({
  input: Option.fromUndefinedOr(char),
  key: { name, ctrl, meta: false, shift: false }
})

const enter: Typed = { key: "return" }
const up: Typed = { key: "up" }
const down: Typed = { key: "down" }
const erase: Typed = { key: "u", ctrl: true }

/** A terminal at which these keys are typed as soon as they are read. */
const scripted = Effect.fnUntraced(function* (typed: ReadonlyArray<Typed>) {
  const shown: Array<string> = []
  const inputs = yield* Queue.unbounded<Terminal.UserInput, Cause.Done>()
  for (const key of typed.flatMap(keys)) yield* Queue.offer(inputs, key)
  yield* Queue.end(inputs)
  const terminal = Terminal.make({
    columns: Effect.succeed(120),
    rows: Effect.succeed(40),
    size: Queue.unbounded<Terminal.Size, Cause.Done>(),
    readInput: Effect.succeed(inputs),
    readLine: Effect.succeed(""),
    display: (text) => Effect.sync(() => void shown.push(text))
  })
  return { shown, layer: Layer.succeed(Terminal.Terminal, terminal) }
})

const recording = (lines: Array<string>): Console.Console => {
  const write = (...args: ReadonlyArray<unknown>) => void lines.push(`${args.join(" ")}\n`)
  return Object.assign(Object.create(console), { log: write, error: write, warn: write, info: write, debug: write })
}

const read = (file: string): string => readFileSync(file, "utf8")

type Served = Effect.Success<ReturnType<typeof served>>

/** Runs `init` against a deployment, at a terminal with this script. */
const tryAt = Effect.fnUntraced(function* (
  { environment, folder, port, profile }: Served,
  script: (client: { readonly id: string; readonly secret: string }, profile: Profile) => ReadonlyArray<Typed>,
  args: ReadonlyArray<string> = [`http://localhost:${port}`]
) {
  const { admin } = profile.principals
  const oauth = "oauth" in admin ? admin.oauth : assert.fail("the admin is a client")
  const named = (reference: string) => environment[reference.slice(2, -1)] ?? reference
  const client = { id: named(oauth.clientId), secret: named(oauth.clientSecret) }
  const told: Array<string> = []
  const { layer, shown } = yield* scripted(script(client, profile))
  const files = { profile: join(folder, "one.yaml"), out: join(folder, "report"), secrets: join(folder, "one.env") }
  const code = yield* run(["init", ...args, "-p", files.profile, "-o", files.out]).pipe(
    Effect.provide(Layer.provideMerge(layer, NodeServices.layer)),
    Effect.provideService(Console.Console, recording(told)),
    Effect.ensuring(Effect.sync(() => delete process.env["CONF_CLIENT_SECRET"]))
  )
  const kept = existsSync(files.profile)
    ? {
        profile: (yield* load(files.profile)).profile,
        profileText: read(files.profile),
        secrets: read(files.secrets),
        mode: statSync(files.secrets).mode & 0o777,
        report: JSON.parse(read(join(files.out, "report.json"))) as Report
      }
    : undefined
  return { client, code, told: told.join(""), shown: shown.join(""), kept, port }
})

/** Runs `init` once. */
const tried = Effect.fnUntraced(function* (script: Parameters<typeof tryAt>[1]) {
  return yield* tryAt(yield* served(), script)
}, Effect.scoped)

/** The address, the client after a wrong secret, and the consent to changes. */
const opening = (client: { readonly id: string; readonly secret: string }): ReadonlyArray<Typed> => [
  ...[client.id, enter, "wrong", enter],
  ...[client.id, enter, client.secret, enter],
  enter
]

const mustsJudged = ({ rules }: Report): number =>
  rules.filter(({ level, verdict }) => level === "MUST" && (verdict === "pass" || verdict === "fail")).length

describe("wcs-conformance init", () => {
  it.live(
    "writes a profile and a first report from an address and a client's secret",
    () =>
      Effect.gen(function* () {
        const { client, kept, shown, told } = yield* tried((client) => [...opening(client), "n", "n"])
        assert.include(told, "the token endpoint answered 401 invalid_client")
        if (kept === undefined) return assert.fail(told)
        assert.isAbove(mustsJudged(kept.report), 40)
        assert.isAtMost(kept.report.counts.requests, 300)
        assert.deepStrictEqual(
          kept.report.rules.filter(({ verdict }) => verdict === "fail"),
          []
        )
        assert.strictEqual(kept.secrets, `CONF_CLIENT_SECRET='${client.secret}'\n`)
        assert.strictEqual(kept.mode, 0o600)
        for (const text of [told, shown, kept.profileText]) assert.notInclude(text, client.secret)
      }),
    240_000
  )

  it.live(
    "tries each answer: asks again after one that the deployment refuses, and judges more with the next",
    () =>
      Effect.gen(function* () {
        const { kept, told } = yield* tried((client, { groups = {}, ownership }) => {
          const credential = JSON.stringify({ groups: { credential: groups["credential"] }, ownership })
          // the blank of the example: a type that the deployment does not know
          const wrong = [enter, "NO_SUCH_TYPE", enter]
          // the third choice after a failure: edit the lines
          const edited = (text: string): ReadonlyArray<Typed> => [down, down, enter, erase, text, enter]
          const tries = [...wrong, ...edited("groups: {"), ...edited("run: { seed: 5 }"), ...edited(credential)]
          // from the end of the choices
          const [unlike, stop] = [
            [up, up, enter],
            [up, enter]
          ]
          return [...opening(client), "y", ...tries, ...unlike, ...stop, enter]
        })
        assert.match(told, /undecided: prerequisite failed: .*; look at groups\.credential\.create in the profile/)
        assert.match(told, /The deployment says: .*what is required/)
        assert.include(told, 'The answer does not meet the need "credential body" yet')
        if (kept === undefined) return assert.fail(told)
        assert.isDefined(kept.profile.groups?.["credential"]?.create, told)
        assert.lengthOf(kept.profile.notOffered ?? [], 1)
        assert.isAbove(mustsJudged(kept.report), 70)
      }),
    480_000
  )

  it.live(
    "lets an earlier answer be edited when a later one shows that it is wrong",
    () =>
      Effect.gen(function* () {
        const checksOf = (field: string) =>
          'groups: { complianceCheck: { path: "/compliance-checks", create: { body: { code: "{{unique}}", ' +
          `${field}: "{{name}}" } } } }`
        const { kept, shown, told } = yield* tried((client) => {
          const edited = (text: string): ReadonlyArray<Typed> => [down, enter, erase, text, enter]
          // from the end of the choices
          const keep = [up, up, up, up, enter]
          const earlier = [down, down, down, enter, erase, checksOf("title"), enter]
          const answers = [...edited(checksOf("name")), ...keep, ...edited("run: { ceiling: irreversible }")]
          return [...opening(client), "y", ...answers, ...earlier, up, enter, "n"]
        })
        assert.match(told, /undecided: .*; look at groups\.complianceCheck\.create in the profile/)
        assert.include(shown, "edit groups.complianceCheck.create of an earlier answer")
        if (kept === undefined) return assert.fail(told)
        assert.include(JSON.stringify(kept.profile.groups?.["complianceCheck"]), "title")
        assert.strictEqual(kept.profile.run?.ceiling, "irreversible")
      }),
    240_000
  )

  it.live(
    "reads an address that is not of a deployment, and an id that is too long, as mistakes",
    () =>
      Effect.gen(function* () {
        const { code, told } = yield* tried((client) => ["x".repeat(3000), enter, client.id, enter, "no"])
        assert.include(told, "An id has at most 2000 characters.")
        assert.strictEqual(code, 130)
      }),
    240_000
  )

  it.live(
    "continues a profile: asks for no address and no secret again, and only for what is open",
    () =>
      Effect.gen(function* () {
        const ours = yield* served()
        const first = yield* tryAt(ours, (client) => [...opening(client), "n", "n"])
        const open = /Go on with (\d+) questions/.exec(first.shown)?.[1]
        const file = join(ours.folder, "one.yaml")
        writeFileSync(file, read(file).replace("principals:", 'principals:\n  expiredToken: "${CONF_NOBODY_HAS}"'))
        // no secret, so the entry is deleted
        const second = yield* tryAt(ours, () => [enter, "y", "y", up, enter, "n"], [])
        assert.include(second.shown, "Delete principals.expiredToken")
        assert.include(second.told, "accepts the credentials")
        assert.strictEqual(/Go on with (\d+) questions/.exec(second.shown)?.[1], open)
        assert.notInclude(second.told, "1. The address")
        assert.strictEqual(second.kept?.secrets, first.kept?.secrets)
        assert.strictEqual(second.kept?.profileText, first.kept?.profileText)
      }),
    480_000
  )

  it.live(
    "gives the first worker a new external id each time, because the last one may be in use",
    () =>
      Effect.gen(function* () {
        const made: Array<unknown> = []
        const ours = yield* served(
          {},
          {
            answered: ({ body, method, url }) => {
              if (method === "POST" && url.endsWith("/workers")) made.push(at(parse(body), "source.externalId"))
            }
          }
        )
        const firsts: Array<unknown> = []
        for (let time = 0; time < 2; time += 1) {
          const before = made.length
          yield* tryAt(ours, (client) => [...opening(client), "n", "n"])
          firsts.push(made[before])
          rmSync(join(ours.folder, "one.yaml"))
          rmSync(join(ours.folder, "one.env"))
        }
        assert.match(String(firsts[0]), /^conf-\w{6}-00000x$/)
        assert.notStrictEqual(firsts[0], firsts[1])
      }),
    240_000
  )

  it.live("writes nothing when the terminal closes before the first answer", () =>
    Effect.gen(function* () {
      const { code, kept, told } = yield* tried(() => [])
      assert.strictEqual(code, 130)
      assert.isUndefined(kept)
      assert.include(told, "nothing was written")
      // without a terminal, the lines of a profile are shown instead
      const shown = readProfile("shown", told.slice(told.indexOf("# A profile of one deployment")))
      const names = Result.map(shown, namesOf)
      assert.deepStrictEqual(Result.getOrThrow(names), ["CONF_CLIENT_SECRET"])
    })
  )
})
