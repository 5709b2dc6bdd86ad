import { readFileSync, writeFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { complaintAbout } from "@wcs/conformance/NodeVersion"
import { needs } from "@wcs/conformance/profile/Need"
import { Profile } from "@wcs/conformance/profile/Profile"
import { load } from "@wcs/conformance/profile/ProfileFile"
import { Effect } from "effect"
import { parse } from "yaml"
import { commandLine, inFolder } from "./CommandLine.ts"
import { constant, serving, servingUntrusted, unanswered } from "./servers/GarbageServers.ts"

const secret = { CONF_CLIENT_SECRET: "not-a-secret-of-anybody" }
const client = ["--client-id", "acme_oauth_1"]

/** The error text and exit code of a refused command line. */
const refused = async (...args: ReadonlyArray<string>) => {
  const { code, told } = await commandLine(args)
  assert.strictEqual(code, 2, told)
  return told.trimEnd()
}

describe("init", () => {
  it("writes a readable profile from only a URL and a client, and names the next step", () =>
    inFolder(async (folder) => {
      const file = join(folder, "staging.yaml")
      const { code, told } = await commandLine(["init", "--tenant", "https://t1.example:8443/", ...client, "-o", file])
      assert.strictEqual(code, 0)
      const { profile } = await Effect.runPromise(load(file))
      assert.strictEqual(profile.name, "t1.example:8443")
      assert.strictEqual(profile.newer.tenantBaseUrl, "https://t1.example:8443")
      for (const next of ["doctor", "run", "plan"]) assert.include(told, `wcs-conformance ${next} -p ${file}`)
      assert.match(await refused("init", "--tenant", "https://t1.example", ...client, "-o", file), /already exists$/)
    }))

  it("lists the missing lines with their places", () => {
    for (const [need, { lines }] of Object.entries(needs)) {
      for (const key of lines.flatMap((line) => Object.keys(parse(`{ ${line} }`)))) {
        assert.isTrue(Object.hasOwn(Profile.fields, key), `${need}: ${key}`)
      }
    }
  })

  it("writes an issuer that the run then trusts", () =>
    inFolder(async (folder) => {
      const [file, issuer] = [join(folder, "staging.yaml"), join(folder, "issuer.pem")]
      const args = ["init", "--tenant", "https://t1.example", ...client, "-o", file, "--ca", issuer]
      assert.match(await refused(...args), /--ca cannot be read$/)
      writeFileSync(issuer, "t1.example")
      assert.match(await refused(...args), /--ca contains no PEM certificate$/)
      writeFileSync(issuer, "-----BEGIN CERTIFICATE-----\n")
      assert.strictEqual((await commandLine(args)).code, 0)
      const { profile } = await Effect.runPromise(load(file))
      assert.strictEqual(profile.tls?.caFile, "issuer.pem")
      writeFileSync(issuer, "")
      assert.match(await refused("plan", "-p", file), /issuer\.pem: tls\.caFile contains no PEM certificate$/)
    }))

  it("prints next steps that can be typed", () =>
    inFolder(async (folder) => {
      const told = {
        npx: "npx wcs-conformance doctor",
        "wcs-conformance": "npm run -s wcs-conformance -- doctor",
        test: "\n  wcs-conformance doctor"
      }
      for (const [event, expected] of Object.entries(told)) {
        const args = ["init", "--tenant", "https://t1.example", ...client, "-o", join(folder, `${event}.yaml`)]
        assert.include((await commandLine(args, { npm_lifecycle_event: event })).told, expected)
      }
    }))

  it("fails without URL or client or when the file cannot be written, and corrects a nearly right URL", async () => {
    assert.include(await refused("init"), "init --tenant https://t1.example --client-id ID")
    assert.include(await refused("init", "--tenant", "https://t1.example"), "--client-id ID")
    assert.match(await refused("init", "--tenant", "https://t1.example", "--client-id", ""), /--client-id is empty: /)
    for (const given of ["t1.example", "https://t1.example/openapi/v1", "https://ann:secret@t1.example"]) {
      assert.match(await refused("init", "--tenant", given, ...client), /did you mean https:\/\/t1\.example\?$/)
      assert.match(await refused("run", "--tenant", given, ...client), /did you mean https:\/\/t1\.example\?$/)
    }
    const nowhere = ["-o", "/dev/null/x.yaml"]
    assert.match(await refused("init", "--tenant", "https://t1.example", ...client, ...nowhere), /cannot be written$/)
  })
})

describe("a usage error", () => {
  it("in a profile's names is reported once, with the intended name", () =>
    inFolder(async (folder) => {
      const file = join(folder, "staging.yaml")
      await commandLine(["init", "--tenant", "https://t1.example", ...client, "-o", file])
      writeFileSync(file, readFileSync(file, "utf8").replace("clientSecret", "clientSecrt"))
      const told = await refused("plan", "-p", file)
      assert.strictEqual(
        told.slice(told.indexOf("principals")),
        "principals.admin.oauth.clientSecrt: unknown name; did you mean clientSecret?; " +
          "principals.admin.oauth.clientSecret: is missing"
      )
    }))

  it("in a name under notOffered is reported", () =>
    inFolder(async (folder) => {
      const file = join(folder, "staging.yaml")
      await commandLine(["init", "--tenant", "https://t1.example", ...client, "-o", file])
      const text = readFileSync(file, "utf8")
      writeFileSync(file, text.replace("notOffered: []", "notOffered: [legacy usr, redrive path]"))
      const told = await refused("plan", "-p", file)
      assert.match(told, /: notOffered\.0: unknown need; did you mean legacy user\?$/)
    }))

  it("in the Node version is reported before anything else", () => {
    assert.match(complaintAbout("20.20.2") ?? "", /^Node 22\.19 or later is needed; this is 20\.20\.2$/)
    assert.isDefined(complaintAbout("22.18.0"))
    for (const version of ["22.19.0", "24.0.0", process.versions.node]) assert.isUndefined(complaintAbout(version))
  })

  it("in the name of a rule or an area is reported", async () => {
    const args = ["run", "--tenant", "https://t1.example", ...client, "--only"]
    assert.match(await refused(...args, "OWM"), /did you mean OWN\?$/)
    assert.match(await refused(...args, "OWN-0A"), /did you mean OWN-0\d\?$/)
    assert.match(await refused(...args, "everything"), /the areas are TRN LEG OAU /)
  })

  it("in the environment is reported with its remedy", async () => {
    const told = await refused("doctor", "--tenant", "https://t1.example", ...client)
    assert.match(told, /: CONF_CLIENT_SECRET \(to enter one: read -rs CONF_CLIENT_SECRET; export CONF_CLIENT_SECRET\)$/)
  })
})

describe("an unjudgeable deployment", () => {
  const told = async (command: string, url: string, out: string) => {
    const ran = await commandLine(
      [command, "--tenant", url, ...client, ...(command === "run" ? ["-o", out] : [])],
      secret
    )
    assert.strictEqual(ran.code, 3, ran.told)
    assert.notInclude(ran.told, "Add these lines to a profile")
    return ran.told.trimEnd().split("\n").at(-1)
  }
  const refusal = JSON.stringify({ error: "invalid_client" })
  const refusing = (_: unknown, response: ServerResponse) =>
    void response.writeHead(401, { "Content-Type": "application/json" }).end(refusal)
  const cases = [
    ["a page for everything", () => serving(constant["a page and 200"]), /: the server there is not this service: /],
    ["a redirection", () => serving(constant["301"]), /: let API calls pass the proxy without its login/],
    ["a refusal of the client", () => serving(refusing), /: the deployment rejects the OAuth client: /],
    [
      "an untrusted certificate",
      () => servingUntrusted(refusing),
      /: the certificate's issuer is not trusted: .*--ca FILE/
    ],
    ["a server of something else", () => serving(unanswered["speaks no HTTP"]), /: the response is not valid HTTP/],
    ["a failing server", () => serving(constant["500"]), /: the deployment has an internal error: /]
  ] as const

  for (const [name, serve, expected] of cases) {
    it(`is reported with a remedy: ${name}`, () =>
      inFolder(async (folder) => {
        const { down, url } = await serve()
        try {
          for (const command of ["doctor", "run"]) assert.match((await told(command, url, folder)) ?? "", expected)
        } finally {
          down()
        }
      }))
  }

  it("is reported when nothing listens", () =>
    inFolder(async (folder) => {
      assert.match((await told("doctor", "https://localhost:1", folder)) ?? "", /: no server listens there: /)
    }))
})
