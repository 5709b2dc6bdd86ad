import { assert, describe, it } from "@effect/vitest"
import { type Connection, peerOf } from "@wcs/http-node/listening/SocketPeers"
import ipaddr from "ipaddr.js"

const proxies = [ipaddr.parseCIDR("10.0.0.0/8"), ipaddr.parseCIDR("fd00::/8")]

type Row = readonly [why: string, connection: Partial<Connection>, address: string, secure: boolean]

/** Each line is a connection and who is taken to be at its other end. */
const rows: ReadonlyArray<Row> = [
  ["the socket tells, over TLS", { encrypted: true }, "203.0.113.9", true],
  ["the socket tells, in plain", {}, "203.0.113.9", false],
  ["an untrusted peer is not believed", { forwardedFor: "1.2.3.4", forwardedProto: "https" }, "203.0.113.9", false],
  ["nor over TLS", { encrypted: true, forwardedFor: "1.2.3.4", forwardedProto: "http" }, "203.0.113.9", true],
  ["IPv4 over IPv6 is IPv4", { remoteAddress: "::ffff:203.0.113.9", encrypted: true }, "203.0.113.9", true],
  ["a trusted proxy that says nothing is plain", { remoteAddress: "10.1.1.1" }, "10.1.1.1", false],
  [
    "a trusted proxy is believed",
    { remoteAddress: "10.1.1.1", forwardedFor: "198.51.100.7", forwardedProto: "https" },
    "198.51.100.7",
    true
  ],
  [
    "counts a whole network of 64 bits as one client",
    { remoteAddress: "2001:db8:1:2:aaaa:bbbb:cccc:dddd", encrypted: true },
    "2001:db8:1:2::/64",
    true
  ],
  [
    "over IPv6 too",
    { remoteAddress: "fd00::1", forwardedFor: "2001:db8::1", forwardedProto: "HTTPS" },
    "2001:db8::/64",
    true
  ],
  [
    "as IPv4 over IPv6 too",
    { remoteAddress: "::ffff:10.1.1.1", forwardedFor: "198.51.100.7", forwardedProto: "https" },
    "198.51.100.7",
    true
  ],
  [
    "the right-most address that is no proxy is the client: what it said itself stands to the left",
    { remoteAddress: "10.1.1.1", forwardedFor: "1.2.3.4, 198.51.100.7, 10.2.2.2", forwardedProto: "https" },
    "198.51.100.7",
    true
  ],
  [
    "several headers are one list",
    { remoteAddress: "10.1.1.1", forwardedFor: ["1.2.3.4", "198.51.100.7"], forwardedProto: "https" },
    "198.51.100.7",
    true
  ],
  [
    "what is no address ends the list",
    { remoteAddress: "10.1.1.1", forwardedFor: "198.51.100.7, unknown", forwardedProto: "https" },
    "10.1.1.1",
    true
  ],
  [
    "nor of an IPv4 one",
    { remoteAddress: "10.1.1.1", forwardedFor: "198.51.100.7:5678", forwardedProto: "https" },
    "198.51.100.7",
    true
  ],
  [
    "a port is no part of the address",
    { remoteAddress: "10.1.1.1", forwardedFor: "[2001:db8::1]:4711", forwardedProto: "https" },
    "2001:db8::/64",
    true
  ],
  [
    "a list of proxies only ends at the farthest",
    { remoteAddress: "10.1.1.1", forwardedFor: "10.9.9.9" },
    "10.9.9.9",
    false
  ],
  ["one plain hop is plain", { remoteAddress: "10.1.1.1", forwardedProto: "https, http" }, "10.1.1.1", false],
  [
    "a plain client is plain though its proxy used TLS",
    { remoteAddress: "10.1.1.1", encrypted: true, forwardedProto: "http" },
    "10.1.1.1",
    false
  ],
  [
    "a proxy over TLS that says nothing of it is believed by the socket",
    { remoteAddress: "10.1.1.1", encrypted: true },
    "10.1.1.1",
    true
  ],
  ["a socket that is gone has no address", { remoteAddress: undefined, encrypted: true }, "unknown", true]
]

const whole = (connection: Partial<Connection>): Connection => ({
  remoteAddress: "203.0.113.9",
  encrypted: false,
  forwardedFor: undefined,
  forwardedProto: undefined,
  ...connection
})

describe("SocketPeers (threat 26), where TLS ends at the proxies", () => {
  for (const [why, connection, address, secure] of rows) {
    it(why, () => assert.deepStrictEqual(peerOf(whole(connection), { proxies, endTls: true }), { address, secure }))
  }
})

describe("SocketPeers (threat 26), where TLS ends here", () => {
  for (const [why, connection, address, secure] of rows) {
    it(`TRN-01: ${why}, and plain HTTP is plain whatever is said of it`, () => {
      const expected = { address, secure: secure && connection.encrypted === true }
      assert.deepStrictEqual(peerOf(whole(connection), { proxies, endTls: false }), expected)
    })
  }
})
