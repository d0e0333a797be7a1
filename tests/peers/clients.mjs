// Talks to a replica with the clients that pages and programs use: the AI SDK, AG-UI's agent, OpenAI's library.
// node clients.mjs NAME URL TOKEN writes what it saw as JSON.
import { HttpAgent } from '@ag-ui/client'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { DefaultChatTransport, generateText, readUIMessageStream, stepCountIs, streamText, tool } from 'ai'
import OpenAI from 'openai'
import { z } from 'zod'

const [name, url, token] = process.argv.slice(2)
const headers = { Authorization: `Bearer ${token}` }
const CALLING = '[[say:I look.]] [[call:weather {"city": "Ulm"}]] [[then]] [[say:It rains.]]'
const WORKING = '[[think:Hm.]] [[say:I look.]] [[call:read_skill {"name": "x"}]] [[then]] [[say:Nothing there.]]'
const weather = tool({
  description: 'How it is outside.',
  inputSchema: z.object({ city: z.string() }),
  execute: async () => 'rain',
})
const asked = (model) => ({ model, prompt: CALLING, tools: { weather }, stopWhen: stepCountIs(3) })

async function generated(model) {
  const whole = await generateText(asked(model))
  let streamed = ''
  for await (const piece of streamText(asked(model)).textStream) streamed += piece
  return { text: whole.text, steps: whole.steps.length, streamed }
}

const shown = (message) => message.parts.filter((part) => part.type !== 'step-start').map((part) => part.text ?? part.state)

async function read(stream, message) {
  let last
  for await (const next of readUIMessageStream({ stream, message })) last = next
  return last
}

const CLIENTS = {
  compatible: () =>
    generated(createOpenAICompatible({ name: 'perdure', baseURL: `${url}/v1`, apiKey: token })('demo')),
  responses: () => generated(createOpenAI({ baseURL: `${url}/v1`, apiKey: token }).responses('demo')),
  async openai() {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: token })
    const created = await client.responses.create({ model: 'demo', input: '[[say:One two three.]]', background: true })
    const texts = []
    for await (const event of await client.responses.retrieve(created.id, { stream: true, starting_after: 4 })) {
      if (event.type === 'response.output_text.delta') texts.push(event.delta)
    }
    return texts
  },
  async approval() {
    const transport = new DefaultChatTransport({ api: `${url}/ai/chat`, headers, body: { model: 'demo' } })
    const asked = { id: 'u1', role: 'user', parts: [{ type: 'text', text: WORKING }] }
    const say = (...messages) => transport.sendMessages({ chatId: 'c1', trigger: 'submit-message', messages })
    const first = await read(await say(asked))
    const decided = structuredClone(first)
    for (const part of decided.parts) {
      if (part.state === 'approval-requested') {
        Object.assign(part, { state: 'approval-responded', approval: { ...part.approval, approved: true } })
      }
    }
    const second = await read(await say(asked, decided), structuredClone(decided))
    return { first: shown(first), second: shown(second), same: first.id === second.id }
  },
  async useChat() {
    const transport = new DefaultChatTransport({ api: `${url}/ai/chat`, headers, body: { model: 'demo' } })
    const say = (text, ...before) =>
      transport.sendMessages({
        chatId: 'c1',
        trigger: 'submit-message',
        messages: [...before, { id: text, role: 'user', parts: [{ type: 'text', text }] }],
      })
    const first = await read(await say(WORKING))
    const before = [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: WORKING }] }, first]
    const second = await read(await say('[[say:Again.]]', ...before))
    return { first: shown(first), second: shown(second), resumed: await transport.reconnectToStream({ chatId: 'c1' }) }
  },
  async agUi() {
    const agent = () => new HttpAgent({ url: `${url}/ag-ui/demo`, headers, threadId: 't1' })
    const page = agent()
    page.addMessage({ id: 'u1', role: 'user', content: WORKING })
    await page.runAgent({})
    const tools = [{ name: 'weather', description: 'How it is outside.', parameters: { type: 'object' } }]
    page.addMessage({ id: 'u2', role: 'user', content: CALLING })
    await page.runAgent({ tools })
    const call = page.messages.flatMap((message) => message.toolCalls ?? []).at(-1)
    page.addMessage({ id: 'r2', role: 'tool', toolCallId: call.id, content: 'rain' })
    await page.runAgent({ tools })
    const again = agent()
    await again.runAgent({})
    return { last: page.messages.at(-1).content, restored: again.messages.map((message) => message.role) }
  },
}

process.stdout.write(JSON.stringify(await CLIENTS[name]()))
