import { randomBytes } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { setTimeout } from "node:timers/promises"
import { parseEnv } from "node:util"
import { send } from "@wcs/end-to-end/containers/Answers"
import { ComposedContainer } from "@wcs/end-to-end/containers/ComposedContainer"
import { Deployment } from "@wcs/end-to-end/containers/ContainerDeployment"
import { build, root, scratch } from "@wcs/end-to-end/containers/Images"
import { handOver } from "@wcs/end-to-end/containers/Secrets"
import { atAddresses, freePort, install, judge, judgedFrom, pack } from "@wcs/end-to-end/containers/Suite"
import { described, inspected } from "@wcs/end-to-end/containers/Topology"
import { type Balancer, balance } from "@wcs/end-to-end/deployment/Balancer"
import { findContainerEngine } from "@wcs/store-suite/postgres/ContainerEngine"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"

const { base, current, host, isBrief, next, postgres } = inject("containers")
const engine = await findContainerEngine({ DOCKER_HOST: host })
if (engine === undefined) throw new Error(`the container engine at ${host} is gone`)
const { client } = engine

const servers = ["server-1", "server-2"]
const workers = ["worker-1", "worker-2"]
/** Killed in this order, then replaced in the reverse order. */
const disturbed = isBrief ? ["server-1", "worker-1"] : [...servers, ...workers]
const upgraded = [...disturbed].reverse()

let deployment: Deployment
let front: Balancer
/** The suite's profile, secrets and certificate authority. */
const folder = scratch()
const profile = join(folder, "conformance-profile.json")
const environment = join(folder, "conformance.env")
const caFile = join(folder, "ca.pem")

const loopback = { localhost: "127.0.0.1", "other.localhost": "127.0.0.1" }

const parsed = (file: string): Record<string, string> =>
  Object.fromEntries(Object.entries(parseEnv(readFileSync(file, "utf8"))).map(([name, value]) => [name, value ?? ""]))

beforeAll(async () => {
  deployment = await Deployment.start(engine, { wcs: current, postgres })
  const { ports, secrets } = deployment.surroundings
  const { certificate } = secrets
  const backends = servers.map((name) => ({ port: ports.get(name) ?? 0, cert: certificate.cert }))
  front = await balance(backends, certificate)
  writeFileSync(caFile, certificate.cert)
  const out = scratch()
  const files = ["--out", "/out/conformance-profile.json", "--env", "/out/conformance.env"]
  await deployment.run(["conformance-profile", "--url", `https://localhost:${front.port}`, ...files], out)
  for (const file of [profile, environment]) writeFileSync(file, readFileSync(join(out, file.slice(folder.length))))
})
afterAll(async () => {
  front?.close()
  await deployment?.end()
})

describe("the deployment of compose.yaml", () => {
  it("runs as described, on a network of its own", async () => {
    const wanted = described()
    assert.sameMembers(Object.keys(wanted), ["database", "migrate", ...servers, ...workers])
    for (const [name, topology] of Object.entries(wanted)) {
      const container = deployment.containerOf(name)
      assert.deepStrictEqual(await inspected(engine, container.getId()), topology, name)
      assert.deepStrictEqual(container.getNetworkNames(), [deployment.surroundings.network.getName()])
    }
    for (const name of [...servers, ...workers]) {
      const { output } = await deployment.containerOf(name).exec(["cat", "/proc/1/status"])
      for (const line of [/^Uid:\s1000\s1000\s1000\s1000$/m, /^CapEff:\s0+$/m, /^NoNewPrivs:\s1$/m]) {
        assert.match(output, line, name)
      }
    }
  })

  it("keeps every MUST from outside while containers are killed and upgraded", async () => {
    const command = install(pack(scratch()))
    const told: Array<string> = []
    const disturbing = (async () => {
      for (const name of disturbed) {
        await setTimeout(1_000)
        await deployment.kill(name)
      }
      for (const name of upgraded) told.push(`${name} ended with ${await deployment.upgrade(name, next)}`)
    })()
    let isOver = false
    const over = disturbing.finally(() => {
      isOver = true
    })
    const port = await freePort()
    const receiver = { host: "0.0.0.0", port, publicUrl: `http://${deployment.surroundings.gateway}:${port}` }
    const place = { url: `https://localhost:${front.port}`, caFile, resolve: loopback, receiver }
    const placedProfile = atAddresses(profile, place, join(folder, "outside.json"))
    do {
      const { exitCode, headline, said } = await judge(command, placedProfile, environment)
      console.log(`From outside, while ${disturbed.length} containers were killed and then upgraded:\n${headline}`)
      assert.strictEqual(exitCode, 0, said)
    } while (!isOver)
    await over
    console.log(`requests to each server: ${front.passedOn.join(" and ")}; ${front.lost()} answers lost`)
    assert.deepStrictEqual(
      told,
      upgraded.map((name) => `${name} ended with 0`)
    )
    for (const name of upgraded) {
      const { Config } = await client.getContainer(deployment.containerOf(name).getId()).inspect()
      assert.strictEqual(Config.Labels["org.opencontainers.image.version"], "next")
    }
  })

  const judgedFromInside = async () => {
    const context = scratch()
    pack(context)
    for (const file of ["Dockerfile", ".dockerignore"]) {
      writeFileSync(join(context, file), readFileSync(join(root, "conformance", file)))
    }
    const tag = "localhost/wcs-conformance:containers"
    await build(engine, { context, dockerfile: "Dockerfile", tag, args: { BASE: base } })
    const address = deployment.containerOf("server-1").getIpAddress(deployment.surroundings.network.getName())
    const receiver = { host: "0.0.0.0", port: 8099, publicUrl: "http://suite:8099" }
    const inside = scratch()
    const place = { url: "https://server-1:8443", caFile: "ca.pem", resolve: { "other.localhost": address }, receiver }
    atAddresses(profile, place, join(inside, "profile.json"))
    writeFileSync(join(inside, "ca.pem"), deployment.surroundings.secrets.certificate.cert)
    handOver(inside, 0o700)
    const suite = await new ComposedContainer(tag)
      .withCommand(["run", "--profile", "profile.json", "--no-color"])
      .withEnvironment(parsed(environment))
      .withBindMounts([{ source: inside, target: "/work" }])
      .joining(deployment.surroundings.network, "suite")
      .start()
    const { StatusCode } = await client.getContainer(suite.getId()).wait()
    const { headline, said } = judgedFrom(await text(await suite.logs()), StatusCode)
    console.log(`From inside, by the image of the suite:\n${headline}`)
    await suite.stop()
    assert.strictEqual(StatusCode, 0, said)
  }
  if (!isBrief) it("keeps every MUST from inside, with the suite's image", judgedFromInside)

  it("writes no secret to a log", async () => {
    const planted = randomBytes(24).toString("hex")
    const basic = Buffer.from(`ann@example.com:${planted}`).toString("base64")
    const form = { "Content-Type": "application/x-www-form-urlencoded" }
    for (const port of deployment.surroundings.ports.values()) {
      const headers = { Authorization: `Bearer ${planted}`, Cookie: `session=${planted}` }
      const sent = [
        await send(port, { path: `/openapi/v1/workers?access_token=${planted}`, headers }),
        await send(port, { path: "/api/users/me", headers: { Authorization: `Basic ${basic}` } }),
        await send(
          port,
          { method: "POST", path: "/openapi/v1/oauth/token", headers: form },
          `grant_type=client_credentials&client_id=nobody&client_secret=${planted}`
        ),
        await send(port, { method: "POST", path: "/openapi/v1/workers", headers }, `{"password":"${planted}`)
      ]
      for (const status of sent) assert.isTrue(status >= 400 && status < 500, `answered ${status}`)
    }
    const secrets = [
      planted,
      basic,
      ...deployment.surroundings.secrets.values,
      ...Object.values(parsed(environment))
    ].filter((value) => value.length >= 8)
    assert.isAbove(secrets.length, 10)
    const all = await deployment.logs()
    assert.isTrue(all.includes('"serving"'), "control: the search finds a text that is there")
    for (const [index, secret] of secrets.entries()) {
      for (const form of [
        secret,
        Buffer.from(secret).toString("base64").replace(/=+$/, ""),
        encodeURIComponent(secret)
      ]) {
        assert.isFalse(all.includes(form), `secret ${index} is in a log`)
      }
    }
  })
})
