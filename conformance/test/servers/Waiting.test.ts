import { writeFileSync } from "node:fs"
import type { IncomingMessage, ServerResponse } from "node:http"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { json } from "@wcs/conformance/formats/Json"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { commandLine, inFolder, reportIn, writeProfile } from "../CommandLine.ts"
import { redRun } from "../fixtures/RedRun.ts"
import { reported } from "../fixtures/Rendered.ts"
import { constant, serving } from "./GarbageServers.ts"

const environment = { CONF_ADMIN: "secret-of-admin" }

const profileOf = (tenantBaseUrl: string): Profile => ({
  name: "waiting",
  newer: { tenantBaseUrl },
  principals: { admin: { token: "${CONF_ADMIN}" } }
})

/** A server that shows a login page at first, and refuses the admin when it is ready. */
const late = () => {
  let count = 0
  return serving((request: IncomingMessage, response: ServerResponse) => {
    count += 1
    if (count <= 5) response.writeHead(302, { Location: "https://sso.example/login" }).end()
    else constant["403"](request, response, "")
  })
}

/** Runs against such a server. */
const ran = async (...flags: ReadonlyArray<string>) => {
  const { down, url } = await late()
  try {
    return await inFolder(async (folder) => {
      const red = join(folder, "red.json")
      writeFileSync(red, json(reported(redRun)))
      const out = join(folder, "out")
      const told = flags.map((flag) => (flag === "RED" ? red : flag))
      const profile = writeProfile(folder, profileOf(url.replace("localhost", "t1.test")))
      const port = new URL(url).port
      const args = ["run", "-p", profile, "--resolve", "t1.test=127.0.0.1", "--out", out, "--quiet", ...told]
      const { code } = await commandLine(args, environment)
      const { header, headline } = reportIn(out)
      return { code, headline: headline.replace(`:${port}`, ""), only: header.only }
    })
  } finally {
    down()
  }
}

describe("a run", () => {
  it("ends at what stands in front, unless --wait lets the deployment become ready; --resolve gives its address", async () => {
    const atOnce = await ran()
    assert.strictEqual(
      atOnce.headline,
      "judged nothing: http://t1.test: a proxy redirects to a login page at sso.example (302)"
    )
    const later = await ran("--wait", "60")
    assert.deepStrictEqual(
      [later.code, later.headline],
      [3, "judged nothing: http://t1.test refused the admin's credentials (403)"]
    )
  })

  it("is preceded by a doctor that waits as long", async () => {
    const { down, url } = await late()
    try {
      await inFolder(async (folder) => {
        const doctor = ["doctor", "-p", writeProfile(folder, profileOf(url))]
        assert.match((await commandLine(doctor, environment)).told, /answers: .* redirects to a login page/)
        const { code, told } = await commandLine([...doctor, "--wait", "60"], environment)
        assert.deepStrictEqual(
          [code, /answers: .*$/m.exec(told)?.[0]],
          [3, `answers: ${url} refused the admin's credentials (403)`]
        )
      })
    } finally {
      down()
    }
  })

  it("repeats the rules that failed, warned or were inconclusive in an earlier report", async () => {
    const { only } = await ran("--rerun", "RED")
    const open = reported(redRun).rules.filter(({ verdict }) =>
      ["fail", "warn", "inconclusive", "error"].includes(verdict)
    )
    assert.sameMembers([...(only ?? [])], [...new Set(open.map(({ id }) => id))])
  })

  it("refuses limits and addresses that the profile would refuse", () =>
    inFolder(async (folder) => {
      const wrong = [
        ["--requests", "0", /--requests takes 1 to 1000000/],
        ["--requests-per-second", "0", /--requests-per-second takes 0.1 to 10000/],
        ["--seconds", "0.5", /--seconds takes 1 to 86400/],
        ["--resolve", "t1.test", /--resolve takes HOST=ADDRESS/],
        ["--wait", "-1", /--wait takes 0 to 3600 seconds/]
      ] as const
      for (const [flag, value, message] of wrong) {
        const args = ["run", "-p", writeProfile(folder, profileOf("https://t1.example")), `${flag}=${value}`]
        const { code, told } = await commandLine(args)
        assert.strictEqual(code, 2, told)
        assert.match(told, message)
      }
    }))
})
