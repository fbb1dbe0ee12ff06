// judge.js FILE…: what AsyncAPI's parser says of each FILE, and whether records are what it says of their topics.
// Reads {topic: [record]} as JSON; prints {"diagnostics": [message], "topics": {topic: [valid]}}, a FILE a line.
const fs = require("fs");
const { Parser, fromFile } = require("@asyncapi/parser");
const Ajv = require("ajv").default;

// A schema as it was before the parser marked it.
const plain = (schema) => JSON.parse(JSON.stringify(
  schema, (name, value) => (name.startsWith("x-parser-") ? undefined : value)));

function judged(document, records) {
  return Object.fromEntries(document.allChannels().all().map((channel) => {
    const [message] = channel.messages().all();
    const validate = new Ajv({ strict: false }).compile(plain(message.payload().json().schema));
    return [channel.address(), (records[channel.address()] || []).map((record) => validate(record))];
  }));
}

async function main() {
  const records = JSON.parse(fs.readFileSync(0, "utf8"));
  for (const file of process.argv.slice(2)) {
    const { document, diagnostics } = await fromFile(new Parser(), file).parse();
    console.log(JSON.stringify({
      diagnostics: diagnostics.map(({ path, message }) => `${path.join(".")}: ${message}`),
      topics: document ? judged(document, records) : {} }));
  }
}

main();
