import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { read } from "@wcs/conformance/profile/ProfileFile"
import { exitCodes } from "@wcs/conformance/report/ExitCode"
import { Result } from "effect"
import { commandLine } from "./CommandLine.ts"

const folder = new URL("../", import.meta.url)
const textOf = (file: string): string => readFileSync(new URL(file, folder), "utf8")
const readme = textOf("README.md")

/** The part of the README between two headings. */
const between = (heading: string, next: string): string =>
  readme.slice(readme.indexOf(`\n${heading}\n`), readme.indexOf(`\n${next}\n`))

describe("the documents of the suite", () => {
  it("show profiles that can be read", () => {
    for (const page of ["README.md", "PROFILE.md"]) {
      const [, profile = ""] = /^```yaml\n(.*?)^```$/ms.exec(textOf(page)) ?? []
      const told = read(page, profile)
      assert.isTrue(Result.isSuccess(told), Result.isFailure(told) ? told.failure.message : "")
    }
  })

  it("list the exit codes", () => {
    const codes = between("### Exit codes", "### The report folder").matchAll(/^\| (\d+) \|/gm)
    assert.deepStrictEqual(
      [...codes].map(([, code]) => Number(code)),
      Object.values(exitCodes)
    )
  })

  it("list the commands", async () => {
    const { told } = await commandLine(["--help"])
    const commands = told.slice(told.indexOf("SUBCOMMANDS")).matchAll(/^ {2}(\w+)/gm)
    const rows = between("## Commands", "## Kill rate").matchAll(/^\| `(\w+)/gm)
    assert.sameMembers(
      [...rows].map(([, name]) => name),
      [...commands].map(([, name]) => name)
    )
  })

  it("quote the row of the catalogue", () => {
    const [, row = "no row"] = /^```ts\n(.*?)^```$/ms.exec(textOf("ADDING-A-RULE.md")) ?? []
    assert.include(textOf("src/catalogue/Ownership.ts"), row)
  })

  it("link to files that exist", () => {
    const texts = ["README.md", "PROFILE.md", "ADDING-A-RULE.md", "READINGS.md"].map(textOf)
    const links = [...texts.join("").matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, path = ""]) => path)
    assert.deepStrictEqual(
      links.filter((path) => !existsSync(new URL(path, folder))),
      []
    )
    assert.isAtLeast(links.length, 12)
  })

  it("begin with a page of at most 350 lines", () => {
    assert.isAtMost(readme.split("\n").length, 351)
  })
})
