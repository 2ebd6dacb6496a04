use testkit::{module::Module, cluster::{ApiServer,Host}};
use std::{sync::Arc, time::Instant};
fn main(){
 let pol=Module::policy().unwrap(); let noop=Module::read(&testkit::root().join("noop.wasm")).unwrap();
 let host:Arc<dyn Host>=Arc::new(ApiServer::default());
 let mut m=|name:&str,f:&str,p:&[u8]|{ let mut t=[vec![],vec![]]; for _ in 0..600 { for (i,md) in [&pol,&noop].iter().enumerate(){ let s=Instant::now(); md.call(f,p,&host).unwrap(); t[i].push(s.elapsed().as_secs_f64()*1e6);} } for v in &mut t {v.sort_by(f64::total_cmp);} println!("{name:40} {:8} {:8.1} {:8.1}",p.len(),t[0][300],t[1][300]); };
 m("protocol_version","protocol_version",b"");
 for n in [0usize,5000,14000,30000]{ 
  let s=format!(r#"{{"request":{{"kind":{{"group":"x","version":"v1","kind":"Pod"}},"object":{{"a":[{}1]}},"operation":"DELETE","userInfo":{{"username":"u"}}}},"settings":{{}}}}"#, r#"{"f:metadata":{"f:labels":{"f:aaaaaaaaaa":{}}}},"#.repeat(n/48));
  m("DELETE","validate",s.as_bytes()); }
}
