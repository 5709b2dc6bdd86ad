import { execFile } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { applicant, unlink } from "@wcs/conformance/calls/OwnershipCalls"
import { makeApplicant, makeCredential, makeWorker, read } from "@wcs/conformance/calls/Resources"
import { type RuleId, ruleOf } from "@wcs/conformance/catalogue/Catalogue"
import { run } from "@wcs/conformance/engine/Run"
import type { Event } from "@wcs/conformance/evidence/Event"
import * as Journal from "@wcs/conformance/evidence/Journal"
import type { Difference } from "@wcs/conformance/judgement/Difference"
import * as Expect from "@wcs/conformance/judgement/Expect"
import { judge } from "@wcs/conformance/judgement/Judge"
import { type Walk, walk } from "@wcs/conformance/judgement/Walk"
import { read as readProfile } from "@wcs/conformance/profile/ProfileFile"
import { exitCodes } from "@wcs/conformance/report/ExitCode"
import { explain, list } from "@wcs/conformance/report/Explain"
import { exchangeRules, walks } from "@wcs/conformance/walks/Walks"
import type { Exchange } from "@wcs/conformance/wire/Exchange"
import { Wire } from "@wcs/conformance/wire/Wire"
import { mutants } from "@wcs/specimens/Mutants"
import * as Specimens from "@wcs/specimens/Specimens"
import { findingsOf, type Target } from "@wcs/specimens/selftest/Judging"
import { deviations, holesIn, overreaches } from "@wcs/specimens/selftest/Matrix"
import { selftest } from "@wcs/specimens/selftest/Selftest"
import { variants } from "@wcs/specimens/Variants"
import { Effect, Layer, Result } from "effect"

const root = new URL("../../../../", import.meta.url)
const readmeFile = new URL("conformance/README.md", root)
const specimensReadmeFile = new URL("packages/specimens/README.md", root)
const readme = readFileSync(readmeFile, "utf8")
const sectionFile = new URL("conformance/ADDING-A-RULE.md", root)
const section = readFileSync(sectionFile, "utf8")

const rule: RuleId = "OWN-14"

/** The fenced blocks in some languages, each with the text since the block before. */
const blocksIn = (text: string, ...languages: ReadonlyArray<string>) => {
  const parts = text.split(/^```(\w+)\n(.*?)^```$/gms)
  return parts.flatMap((language, index) =>
    index % 3 === 1 && languages.includes(language)
      ? [{ above: parts[index - 1] ?? "", code: parts[index + 1] ?? "" }]
      : []
  )
}

/** The first name in the quoted block with these words. */
const nameQuotedWith = (words: string): string | undefined =>
  /(?:variant|mutant)\("([^"]+)"/.exec(
    blocksIn(section, "ts").find(({ code }) => code.includes(words))?.code ?? ""
  )?.[1]

const mutant = mutants.find(({ name }) => name === nameQuotedWith("mutant("))
const variant = variants.find(({ name }) => name === nameQuotedWith("slotVariants"))
const example = Effect.sync(() => {
  if (mutant === undefined || variant === undefined) throw new Error("the README quotes no mutant or no variant")
  return { mutant, variant }
})

/** The findings of these walks on a deployment. */
const foundBy = Effect.fnUntraced(function* ({ profile, secrets, serve }: Target, walksMade: ReadonlyArray<Walk>) {
  const events: Array<Event> = []
  const emit = (event: Event) => Effect.sync(() => void events.push(event))
  const more = { exchangeRules: [], stop: Effect.never, emit, learn: () => Effect.void }
  yield* run({ run: "example", profile, secrets, walks: walksMade, ...more }).pipe(
    Effect.provide(Layer.merge(Layer.succeed(Wire, Wire.of({ send: serve })), Journal.layerMemory()))
  )
  return findingsOf(events)
})

/** A walk that judges the rule by comparing the answer and the credential after it. */
const judgingBy = (look: (answer: Exchange, after: Exchange) => ReadonlyArray<Difference>): Walk =>
  walk({ name: "example/empty-slot", judges: [rule], impact: "mutate-own", needs: ["credential body", "applicant"] })(
    function* () {
      const owner = yield* makeWorker()
      const other = yield* makeApplicant()
      const { id } = yield* makeCredential({ worker: owner.id })
      const answer = yield* unlink(id, applicant(other.id))
      const after = yield* read("credential", id)
      yield* judge(rule, [answer, after], look(answer, after))
    }
  )

const blind = judgingBy((answer) => Expect.status(answer, 200))
const strict = judgingBy((answer, after) => [
  ...Expect.status(answer, 200),
  ...Expect.value(after, "data.attributes.owners.applicant", null)
])

const judging = walks.filter(({ judges }) => judges.includes(rule))
const others = walks.filter(({ judges }) => !judges.includes(rule))

/** The README shows this complaint, and the self-test made it. */
const assertComplained = (complaints: ReadonlyArray<string>, ending: string) => {
  const complaint = complaints.find((one) => one.endsWith(ending))
  assert.isDefined(complaint, `${JSON.stringify(complaints)} should end with ${ending}`)
  assert.include(section, `\`${complaint}\``)
}

/** A quoted block is verbatim in the file of the last link above it. */
const assertVerbatim = ({ above, code }: ReturnType<typeof blocksIn>[number], from: URL) => {
  const [, path = ""] = [...above.matchAll(/\]\(([^)#]+)\)/g)].at(-1) ?? []
  assert.match(path, /\.(ts|json)$/, `a file is named above ${code}`)
  assert.include(readFileSync(new URL(path, from), "utf8"), code, path)
}

/** The command behind `npm run -s NAME -- …`, once everything is installed. */
const commandOf = (line: string): ReadonlyArray<string> => {
  const { scripts } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"))
  const [, name = "", args = ""] = /^npm run -s (\S+) -- (.+)$/.exec(line) ?? []
  const [, command = ""] = /^exec node \.dev\/run\.mjs(?: --serving)? node (.+)$/.exec(scripts[name] ?? "") ?? []
  assert.notStrictEqual(command, "", `${line} is not a command of this workspace`)
  return [...command.split(" "), ...args.split(" ")]
}

const node = (args: ReadonlyArray<string>) =>
  Effect.promise(() => promisify(execFile)(process.execPath, args, { cwd: fileURLToPath(root) }))

describe("the README's worked example (OWN-14)", () => {
  it("quotes the named files verbatim", () => {
    const quotes = blocksIn(section, "ts", "json")
    for (const quote of quotes) assertVerbatim(quote, sectionFile)
    assert.isAtLeast(quotes.length, 11)
  })

  it.live("shows commands with their real output: the mutant is killed for its reason, the variant passes", () =>
    Effect.gen(function* () {
      const commands = blocksIn(section, "sh")
      assert.lengthOf(commands, 2)
      const printed = yield* Effect.forEach(commands, ({ code }) => node(commandOf(code.trim())), {
        concurrency: "unbounded"
      })
      const shown = blocksIn(section, "text").map(({ code }) => code.trimEnd().split("\n"))
      assert.lengthOf(shown, commands.length)
      for (const [index, lines] of shown.entries()) {
        const output = (printed[index]?.stdout ?? "").split("\n")
        for (const line of lines) assert.include(output, line)
      }
    })
  )

  it("is unchecked without its walk, and checked only by that walk", () => {
    const row = ruleOf(rule)
    assert.isDefined(row)
    if (row === undefined) return
    const stateBy = (made: ReadonlyArray<Walk>) => {
      const checks = { walks: made, exchangeRules, mutants: [] }
      const listed = list({ area: "OWN" }, checks).find(({ id }) => id === rule)?.state
      const isListed = list({ unchecked: true }, checks).some(({ id }) => id === rule)
      return [listed, explain(row, checks).state, isListed]
    }
    assert.deepStrictEqual(stateBy(others), ["unchecked", "unchecked", true])
    assert.deepStrictEqual(stateBy(walks), ["checked", "checked", false])
    assert.deepStrictEqual(
      judging.map(({ name }) => name),
      ["ownership/unlink-one-of-two"]
    )
  })

  it("has a mutant that must be killed after a change", () => {
    assert.deepInclude([...(mutant?.kills ?? [])], { rule, kind: "changed", at: "body.data.attributes.owners.worker" })
  })

  it.live("leaves a gap in the self-test when no mutant breaks it", () =>
    Effect.gen(function* () {
      const without = mutants.filter(({ kills }) => !kills.some((kill) => kill.rule === rule))
      const known = holesIn(mutants)
      assert.deepStrictEqual(
        holesIn(without).filter((hole) => !known.includes(hole)),
        [rule]
      )
      const { complaints } = yield* selftest([], [])
      assertComplained(
        complaints.filter((complaint) => complaint.startsWith(rule)),
        "no mutant breaks it, so nothing shows that it can fail"
      )
    })
  )

  it.live("gets a complaint when its walk is missing, blind or too strict, or its mutant declares too little", () =>
    Effect.gen(function* () {
      const { mutant, variant } = yield* example
      const start = yield* Specimens.make
      const broken = yield* start(mutant, false)
      assertComplained(
        deviations(
          mutant,
          yield* foundBy(
            broken,
            others.filter(({ judges }) => judges.includes("OWN-15"))
          )
        ),
        "found nothing"
      )
      assertComplained(deviations(mutant, yield* foundBy(broken, [blind])), "found pass")
      assertComplained(
        deviations({ ...mutant, alsoKills: [] }, yield* foundBy(broken, judging)),
        "fails too: fail changed at body.data.attributes.owners.worker"
      )
      const ours = yield* foundBy(yield* start({ name: "ours" }, false), [strict])
      assert.deepStrictEqual(
        ours.map(({ outcome }) => outcome),
        ["pass"]
      )
      assertComplained(
        overreaches(variant, yield* foundBy(yield* start(variant, false), [strict]), ours),
        "fail wrong-value at body.data.attributes.owners.applicant"
      )
    }).pipe(Effect.scoped)
  )
})

describe("the rest of the README", () => {
  it("shows a readable profile", () => {
    const [profile] = blocksIn(readme, "yaml")
    const told = readProfile("README.md", profile?.code ?? "")
    assert.isTrue(Result.isSuccess(told), Result.isFailure(told) ? told.failure.message : "")
  })

  it("lists the actual exit codes", () => {
    const table = readme.slice(readme.indexOf("### Exit codes"), readme.indexOf("### The report folder"))
    const told = [...table.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code))
    assert.deepStrictEqual(told, Object.values(exitCodes))
  })

  it.live("lists the actual commands", () =>
    Effect.gen(function* () {
      const { stdout } = yield* node(["conformance/src/main.ts", "--help"])
      const there = stdout.slice(stdout.indexOf("SUBCOMMANDS")).matchAll(/^ {2}(\w+)/gm)
      const table = readme.slice(readme.indexOf("\n## Commands\n"), readme.indexOf("\n## As a library\n"))
      const told = table.matchAll(/^\| `(\w+)/gm)
      assert.sameMembers(
        [...told].map(([, name]) => name),
        [...there].map(([, name]) => name)
      )
    })
  )

  it("links to existing files, as does the worked example", () => {
    const links = [...`${readme}${section}`.matchAll(/\]\(([^)#]+)\)/g)].map(([, path = ""]) => path)
    assert.deepStrictEqual(
      links.filter((path) => !existsSync(new URL(path, readmeFile))),
      []
    )
    assert.isAtLeast(links.length, 12)
  })
})

it("the specimens' README quotes the named files verbatim", () => {
  const quotes = blocksIn(readFileSync(specimensReadmeFile, "utf8"), "ts")
  for (const quote of quotes) assertVerbatim(quote, specimensReadmeFile)
  assert.lengthOf(quotes, 1)
})
