//! waPC on wasmtime: a fresh instance for each call, and, when asked for, the number of instructions that it executes.

use anyhow::{Context, Result, bail};
use wasmtime::error::format_err;
use wasmtime::{
    Caller, Config, Engine, FrameInfo, InstancePre, Linker, Module, Store, StoreLimits, StoreLimitsBuilder, Trap,
    WasmBacktrace,
};

/// The bytes of memory that a PolicyServer lets one evaluation have.
///
/// Source: the release notes of Kubewarden 1.38.
const MEMORY: usize = 256 << 20;

/// The host functions that a guest may call.
pub(crate) trait HostCalls: Send + 'static {
    /// Answers a call of `operation` in `binding` and `namespace`.
    fn answer(&mut self, binding: &str, namespace: &str, operation: &str, payload: &[u8]) -> Result<Vec<u8>, String>;
}

/// A compiled guest.
pub(crate) struct Guest<H: HostCalls> {
    engine: Engine,
    instance: InstancePre<Conversation<H>>,
    counts: bool,
}

/// The result of a call.
pub(crate) struct Called<H> {
    pub(crate) response: Vec<u8>,
    /// From the start of the instance to the response; 0 unless the guest was compiled with counting.
    pub(crate) instructions: u64,
    pub(crate) host: H,
}

/// The data exchanged between guest and host in one instance.
struct Conversation<H> {
    operation: Vec<u8>,
    payload: Vec<u8>,
    response: Option<Result<Vec<u8>, String>>,
    answer: Result<Vec<u8>, String>,
    host: H,
    limits: StoreLimits,
    #[cfg(feature = "wasi")]
    wasi: wasmtime_wasi::p1::WasiP1Ctx,
}

impl<H: HostCalls> Guest<H> {
    /// Compiles a module. One that `counts` is slower.
    pub(crate) fn new(bytes: &[u8], counts: bool) -> Result<Guest<H>> {
        let mut config = Config::new();
        config.consume_fuel(counts);
        let engine = Engine::new(&config)?;
        let module = Module::new(&engine, bytes)?;
        let mut linker = Linker::new(&engine);
        #[cfg(feature = "wasi")]
        wasmtime_wasi::p1::add_to_linker_sync(&mut linker, |conversation: &mut Conversation<H>| {
            &mut conversation.wasi
        })?;
        link(&mut linker)?;
        Ok(Guest { instance: linker.instantiate_pre(&module)?, engine, counts })
    }

    /// Calls one function of a fresh instance.
    pub(crate) fn call(&self, function: &str, payload: &[u8], host: H) -> Result<Called<H>> {
        let mut store = self.store(function, payload, host, u64::MAX)?;
        self.run(&mut store, function, payload)?;
        let instructions = if self.counts { u64::MAX - store.get_fuel()? } else { 0 };
        let Conversation { response, host, .. } = store.into_data();
        match response {
            Some(Ok(response)) => Ok(Called { response, instructions, host }),
            Some(Err(error)) => bail!("the guest fails: {error}"),
            None => bail!("the guest does not answer"),
        }
    }

    /// The functions that are being executed after this number of instructions of a call, the innermost first; none where the
    /// call ends before. The guest must count instructions and have function names.
    pub(crate) fn stack_after(
        &self,
        instructions: u64,
        function: &str,
        payload: &[u8],
        host: H,
    ) -> Result<Vec<String>> {
        let mut store = self.store(function, payload, host, instructions)?;
        match self.run(&mut store, function, payload) {
            Ok(()) => Ok(Vec::new()),
            Err(error) if error.downcast_ref() == Some(&Trap::OutOfFuel) => {
                let stack = error.downcast_ref::<WasmBacktrace>().context("a trap without a stack")?;
                let name = |frame: &FrameInfo| frame.func_name().unwrap_or("unnamed").to_owned();
                Ok(stack.frames().iter().map(name).collect())
            }
            Err(error) => Err(error),
        }
    }

    /// The store of an instance, limited to this number of instructions if the guest counts.
    fn store(&self, function: &str, payload: &[u8], host: H, instructions: u64) -> Result<Store<Conversation<H>>> {
        let conversation = Conversation {
            operation: function.into(),
            payload: payload.into(),
            response: None,
            answer: Ok(Vec::new()),
            host,
            limits: StoreLimitsBuilder::new().memory_size(MEMORY).build(),
            #[cfg(feature = "wasi")]
            wasi: wasmtime_wasi::WasiCtxBuilder::new().build_p1(),
        };
        let mut store = Store::new(&self.engine, conversation);
        store.limiter(|conversation| &mut conversation.limits);
        if self.counts {
            store.set_fuel(instructions)?;
        }
        Ok(store)
    }

    /// Calls one function of a fresh instance.
    fn run(&self, store: &mut Store<Conversation<H>>, function: &str, payload: &[u8]) -> Result<()> {
        let instance = self.instance.instantiate(&mut *store)?;
        for name in ["_start", "wapc_init"] {
            if instance.get_func(&mut *store, name).is_some() {
                instance.get_typed_func::<(), ()>(&mut *store, name)?.call(&mut *store, ())?;
            }
        }
        let lengths = (u32::try_from(function.len())?, u32::try_from(payload.len())?);
        instance.get_typed_func::<(u32, u32), u32>(&mut *store, "__guest_call")?.call(&mut *store, lengths)?;
        Ok(())
    }
}

/// The functions that a waPC host offers.
///
/// Source: <https://wapc.io/docs/spec/>.
fn link<H: HostCalls>(linker: &mut Linker<Conversation<H>>) -> wasmtime::Result<()> {
    let wapc = "wapc";
    linker.func_wrap(
        wapc,
        "__guest_request",
        |mut guest: Caller<'_, Conversation<H>>, operation: u32, payload: u32| {
            let (memory, conversation) = parts(&mut guest)?;
            write(memory, operation, &conversation.operation)?;
            write(memory, payload, &conversation.payload)
        },
    )?;
    linker.func_wrap(wapc, "__guest_response", |mut guest: Caller<'_, Conversation<H>>, at: u32, length: u32| {
        let (memory, conversation) = parts(&mut guest)?;
        conversation.response = Some(Ok(read(memory, at, length)?.to_vec()));
        wasmtime::Result::Ok(())
    })?;
    linker.func_wrap(wapc, "__guest_error", |mut guest: Caller<'_, Conversation<H>>, at: u32, length: u32| {
        let (memory, conversation) = parts(&mut guest)?;
        conversation.response = Some(Err(text(memory, at, length)?.to_owned()));
        wasmtime::Result::Ok(())
    })?;
    linker.func_wrap(
        wapc,
        "__host_call",
        |mut guest: Caller<'_, Conversation<H>>,
         binding: u32,
         binding_length: u32,
         namespace: u32,
         namespace_length: u32,
         operation: u32,
         operation_length: u32,
         payload: u32,
         payload_length: u32| {
            let (memory, conversation) = parts(&mut guest)?;
            conversation.answer = conversation.host.answer(
                text(memory, binding, binding_length)?,
                text(memory, namespace, namespace_length)?,
                text(memory, operation, operation_length)?,
                read(memory, payload, payload_length)?,
            );
            wasmtime::Result::Ok(u32::from(conversation.answer.is_ok()))
        },
    )?;
    // The guest asks for the length, allocates memory, and has the bytes written there.
    linker.func_wrap(wapc, "__host_response_len", |guest: Caller<'_, Conversation<H>>| {
        guest.data().answer.as_ref().map_or(0, Vec::len) as u32
    })?;
    linker.func_wrap(wapc, "__host_response", |mut guest: Caller<'_, Conversation<H>>, at: u32| {
        let (memory, conversation) = parts(&mut guest)?;
        conversation.answer.as_ref().map_or(Ok(()), |answer| write(memory, at, answer))
    })?;
    linker.func_wrap(wapc, "__host_error_len", |guest: Caller<'_, Conversation<H>>| {
        guest.data().answer.as_ref().err().map_or(0, String::len) as u32
    })?;
    linker.func_wrap(wapc, "__host_error", |mut guest: Caller<'_, Conversation<H>>, at: u32| {
        let (memory, conversation) = parts(&mut guest)?;
        conversation.answer.as_ref().err().map_or(Ok(()), |error| write(memory, at, error.as_bytes()))
    })?;
    linker.func_wrap(wapc, "__console_log", |_: Caller<'_, Conversation<H>>, _: u32, _: u32| {})?;
    Ok(())
}

/// The guest's memory, and the conversation.
fn parts<'a, H: 'static>(
    guest: &'a mut Caller<'_, Conversation<H>>,
) -> wasmtime::Result<(&'a mut [u8], &'a mut Conversation<H>)> {
    let memory = guest.get_export("memory").and_then(wasmtime::Extern::into_memory);
    Ok(memory.ok_or_else(|| format_err!("a guest without memory"))?.data_and_store_mut(guest))
}

fn read(memory: &[u8], at: u32, length: u32) -> wasmtime::Result<&[u8]> {
    let start = at as usize;
    memory.get(start..start + length as usize).ok_or_else(|| format_err!("{length} bytes at {at} are not in memory"))
}

fn text(memory: &[u8], at: u32, length: u32) -> wasmtime::Result<&str> {
    Ok(str::from_utf8(read(memory, at, length)?)?)
}

fn write(memory: &mut [u8], at: u32, bytes: &[u8]) -> wasmtime::Result<()> {
    let start = at as usize;
    let room = memory.get_mut(start..start + bytes.len());
    room.ok_or_else(|| format_err!("no room for {} bytes at {at}", bytes.len()))?.copy_from_slice(bytes);
    Ok(())
}
