import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import {
  chooseProfile,
  loadSecrets,
  outBeside,
  save,
  secretsIn,
  unreadIn,
  withSecrets
} from "@wcs/conformance/init/Files"
import { initialProfile } from "@wcs/conformance/profile/InitialProfile"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { load } from "@wcs/conformance/profile/ProfileFile"
import { Effect, Exit } from "effect"
import { inFolder } from "../CommandLine.ts"

const one = initialProfile("https://t1.acme.test", "acme_oauth_1")

const chosen = async (file: string, url: string | undefined) => {
  const { begun, profile, secrets } = await Effect.runPromise(chooseProfile(file, url))
  return { profile, secrets, isBegun: begun !== undefined }
}

const savedAs = (profile: Profile, file: string, typed: ReadonlyArray<string> = []) =>
  save(profile, new Set(typed), {
    profile: file,
    secrets: file.replace(/\.\w+$/, ".env"),
    out: "report",
    given: new Set(),
    told: new Set()
  })

const saved = (...args: Parameters<typeof savedAs>) => Effect.runPromise(savedAs(...args))

describe("the files of init", () => {
  it("continue a profile of the same deployment, and take another name beside those of others", () =>
    inFolder(async (folder) => {
      const [file, secrets] = [join(folder, "conformance.yaml"), join(folder, "conformance.env")]
      assert.deepStrictEqual(await chosen(file, "https://t1.acme.test"), { profile: file, secrets, isBegun: false })
      await saved(one, file)
      for (const url of [undefined, "https://t1.acme.test/"]) {
        assert.deepStrictEqual(await chosen(file, url), { profile: file, secrets, isBegun: true })
      }
      const second = { profile: join(folder, "conformance-2.yaml"), secrets: join(folder, "conformance-2.env") }
      assert.deepStrictEqual(await chosen(file, "https://t2.acme.test"), { ...second, isBegun: false })
      assert.deepStrictEqual([file, second.profile, "t2.json"].map(outBeside), [
        "conformance-report",
        "conformance-report-2",
        "conformance-report"
      ])
    }))

  it("are never those of another profile without a URL", () =>
    inFolder(async (folder) => {
      const [file, secrets] = [join(folder, "staging.yaml"), join(folder, "staging.env")]
      writeFileSync(secrets, "CONF_ADMIN_SECRET=kept\n")
      await saved(one, join(folder, "staging-2.yaml"))
      assert.deepStrictEqual(await chosen(file, undefined), { profile: file, secrets, isBegun: false })
    }))

  it("name the way on beside a profile that cannot be read", () =>
    inFolder(async (folder) => {
      const file = join(folder, "conformance.yaml")
      writeFileSync(file, "name: [")
      const failed = await Effect.runPromise(Effect.flip(chooseProfile(file, "https://t2.acme.test")))
      assert.match(failed.message, /neither JSON nor YAML.*choose another file with -p$/)
    }))

  it("never overwrite a file of secrets without a profile", () =>
    inFolder(async (folder) => {
      const file = join(folder, "conformance.yaml")
      writeFileSync(join(folder, "conformance.env"), "CONF_ADMIN_SECRET=kept\n")
      const { profile } = await chosen(file, "https://t1.acme.test")
      assert.strictEqual(profile, join(folder, "conformance-2.yaml"))
    }))

  it("keep comments, other entries and other secrets when an answer is added", () =>
    inFolder(async (folder) => {
      const [file, secrets] = [join(folder, "one.yaml"), join(folder, "one.env")]
      await saved(one, file)
      const text = readFileSync(file, "utf8")
      writeFileSync(file, text.replace("newer:", "# our staging\nnewer: # the host\n"))
      chmodSync(file, 0o640)
      writeFileSync(secrets, "# of the team\nOTHER='a b'\nCONF_CLIENT_SECRET=old", { mode: 0o644 })
      process.env["CONF_CLIENT_SECRET"] = "it's new"
      try {
        await saved({ ...one, sort: { path: "/workers", parameter: "sort", known: "a", unknown: "b" } }, file, [
          "CONF_CLIENT_SECRET"
        ])
      } finally {
        delete process.env["CONF_CLIENT_SECRET"]
      }
      assert.strictEqual(statSync(file).mode & 0o777, 0o640)
      assert.sameMembers(readdirSync(folder), ["one.env", "one.yaml"])
      const after = readFileSync(file, "utf8")
      for (const part of ["# our staging", "# the host", "acme_oauth_1"]) assert.include(after, part)
      const { profile } = await Effect.runPromise(load(file))
      assert.strictEqual(profile.sort?.parameter, "sort")
      assert.strictEqual(
        readFileSync(secrets, "utf8"),
        "# of the team\nOTHER='a b'\nCONF_CLIENT_SECRET='it'\\''s new'\n"
      )
      assert.strictEqual(statSync(secrets).mode & 0o777, 0o600)
    }))

  it("lose the entries that an answer replaces, and stay readable", () =>
    inFolder(async (folder) => {
      const file = join(folder, "one.yaml")
      const byToken: Profile = { ...one, principals: { admin: { token: "${CONF_TOKEN}" } } }
      await saved(byToken, file)
      writeFileSync(file, readFileSync(file, "utf8").replace("newer:", "# our staging\nnewer:"))
      await saved(one, file)
      assert.deepStrictEqual((await Effect.runPromise(load(file))).profile, one)
      assert.include(readFileSync(file, "utf8"), "# our staging")
    }))

  it("are replaced as a whole, through a link too, or stay as they were", () =>
    inFolder(async (folder) => {
      const [file, link] = [join(folder, "one.yaml"), join(folder, "link.yaml")]
      await saved(one, file)
      symlinkSync(file, link)
      await saved({ ...one, name: "again" }, link)
      assert.strictEqual((await Effect.runPromise(load(file))).profile.name, "again")
      const before = readFileSync(file, "utf8")
      // the name of the new text is taken, so it cannot be written
      mkdirSync(`${file}.${process.pid}.new`)
      assert.isTrue(Exit.isFailure(await Effect.runPromiseExit(savedAs({ ...one, name: "lost" }, file))))
      assert.strictEqual(readFileSync(file, "utf8"), before)
    }))

  it("close a file of secrets that others may read", () =>
    inFolder(async (folder) => {
      const secrets = join(folder, "one.env")
      writeFileSync(secrets, "CONF_OF_A_TEST=x\n", { mode: 0o644 })
      try {
        await Effect.runPromise(
          loadSecrets({ profile: "one.yaml", secrets, out: "report", given: new Set(), told: new Set() })
        )
        assert.strictEqual(process.env["CONF_OF_A_TEST"], "x")
      } finally {
        delete process.env["CONF_OF_A_TEST"]
      }
      assert.strictEqual(statSync(secrets).mode & 0o777, 0o600)
    }))

  it("report an unreadable line once, and replace it when its secret is typed again", () =>
    inFolder(async (folder) => {
      const secrets = join(folder, "one.env")
      const damaged = "CONF_DAMAGED=x y'\nnonsense\n"
      writeFileSync(secrets, damaged)
      const files = { profile: "one.yaml", secrets, out: "report", given: new Set<string>(), told: new Set<string>() }
      await Effect.runPromise(loadSecrets(files))
      await Effect.runPromise(loadSecrets(files))
      assert.strictEqual(files.told.size, 2)
      assert.strictEqual(withSecrets(damaged, new Map([["CONF_DAMAGED", "z"]])), "nonsense\nCONF_DAMAGED='z'\n")
    }))

  it("stay JSON if the profile is JSON, and hold no secrets without typed ones", () =>
    inFolder(async (folder) => {
      const file = join(folder, "profile.json")
      await saved(one, file)
      await saved({ ...one, notOffered: ["receiver"] }, file)
      assert.deepStrictEqual(JSON.parse(readFileSync(file, "utf8")).notOffered, ["receiver"])
      assert.isFalse(existsSync(join(folder, "profile.env")))
    }))

  it("read secrets in every form that a shell reads, and several lines", () => {
    const values = new Map([
      ["A", "it's"],
      ["B", "two\nlines"]
    ])
    const text = `export C="c c"\nD=d\n${withSecrets("", values)}`
    assert.deepStrictEqual(
      [...secretsIn(text)],
      [
        ["C", "c c"],
        ["D", "d"],
        ["A", "it's"],
        ["B", "two\nlines"]
      ]
    )
    assert.strictEqual(withSecrets(text, values), text)
  })

  it("read secrets as a shell does, and name the lines that a shell reads otherwise", () => {
    const text = [
      "# it's a comment",
      "CRLF='with return'\r",
      "BARE=a-b.c\r",
      "SINGLE='x y' # a note",
      'DOUBLE="a\\$b \\"c\\" \\d"',
      "LINES='one",
      "WITHIN=two'",
      "SPACES=a b",
      'EXPANDED="a$b"',
      "  # indented",
      "BARE_EXPANDED=a$b",
      "OPEN='x",
      "not an assignment",
      ""
    ].join("\n")
    assert.deepStrictEqual(
      [...secretsIn(text)],
      [
        ["CRLF", "with return"],
        ["BARE", "a-b.c"],
        ["SINGLE", "x y"],
        ["DOUBLE", 'a$b "c" \\d'],
        ["LINES", "one\nWITHIN=two"]
      ]
    )
    assert.deepStrictEqual(unreadIn(text), [8, 9, 11, 12, 13])
  })
})
