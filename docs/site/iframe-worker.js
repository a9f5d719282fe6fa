// Browsers start no workers for pages that are opened from a folder; the search, which wants one, gets a hidden frame instead.
// Its script finds out by the name IFrameWorker that it is in a frame.
class IFrameWorker extends EventTarget {
  constructor(url) {
    super();
    const frame = document.body.appendChild(document.createElement("iframe"));
    frame.hidden = true;
    this.inside = frame.contentWindow;
    window.addEventListener("message", event => {
      if (event.source === this.inside) this.dispatchEvent(new MessageEvent("message", { data: event.data }));
    });
    this.loaded = new Promise(done => frame.addEventListener("load", done, { once: true }));
    this.inside.document.write(`<body><script>(${prepare})()</script><script src="${url}"></script></body>`);
    this.inside.document.close();
  }

  postMessage(data) {
    this.loaded.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
  }
}

// What a worker's script expects around it.
function prepare() {
  const load = url => new Promise(done => {
    const script = document.createElement("script");
    script.src = url;
    script.onload = done;
    document.body.append(script);
  });
  window.postMessage = data => parent.postMessage(data, "*");
  window.importScripts = async (...urls) => {
    for (const url of urls) await load(url);
  };
}

if (location.protocol === "file:") {
  window.IFrameWorker = IFrameWorker;
  window.Worker = IFrameWorker;
}
